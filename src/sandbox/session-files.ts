import { InMemoryFs } from "just-bash/browser";
import type { SavedFile } from "../core/sessions/workspace.ts";

/** Where the shell itself puts its commands and devices. */
const SYSTEM_FOLDERS = /^\/(bin|usr|dev|proc|sys|etc)(\/|$)/;
const MAX_TOTAL_BYTES = 10_000_000;

export async function loadFiles(saved: readonly SavedFile[]): Promise<InMemoryFs> {
  const files = new InMemoryFs({}, { maxTotalBytes: MAX_TOTAL_BYTES });
  await files.mkdir("/tmp", { recursive: true });
  await files.mkdir("/home/user", { recursive: true });
  for (const { path, mode, content } of saved) {
    if (content.kind === "folder") await files.mkdir(path, { recursive: true });
    else if (content.kind === "link") await files.symlink(content.target, path);
    else files.writeFileSync(path, content.bytes, undefined, { mode });
  }
  return files;
}

/** Everything but the system's own, folders before what is in them. */
export async function saveFiles(files: InMemoryFs): Promise<SavedFile[]> {
  const paths = files.getAllPaths().filter((path) => path !== "/" && !SYSTEM_FOLDERS.test(path));
  return Promise.all(paths.toSorted().map((path) => saveFile(files, path)));
}

async function saveFile(files: InMemoryFs, path: string): Promise<SavedFile> {
  const { mode, isDirectory, isSymbolicLink } = await files.lstat(path);
  if (isSymbolicLink) return { path, mode, content: { kind: "link", target: await files.readlink(path) } };
  if (isDirectory) return { path, mode, content: { kind: "folder" } };
  return { path, mode, content: { kind: "file", bytes: await files.readFileBuffer(path) } };
}
