import { cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { toAscii } from "./ascii-source.ts";
import { filesBelow, fingerprintOf } from "./fingerprint.ts";
import { PROJECT_ROOT, runWrangler } from "../service/wrangler.ts";

const KEPT = join(PROJECT_ROOT, "dist", "worker");
/** Parts of `src` that are no part of the Worker, or are made from the rest of it. */
const NOT_WORKER = ["ui", "tools", "sandbox", "docs"];
/** Bundles of sources that have changed since; another program may be about to take a copy of a younger one. */
const MAX_AGE_MS = 3_600_000;

/**
 * Bundles the Worker, as it would be deployed, into a new folder. Bundles are kept in `dist`, and made again only when
 * the source, the configuration or a dependency has changed.
 */
export async function buildWorker(folder: string, options: { scratchDir: string }): Promise<void> {
  const kept = join(KEPT, (await fingerprintOf(await sources())).slice(0, 32));
  if (!(await isFolder(kept))) {
    await bundle(kept, options);
    await removeOld(kept);
  }
  await cp(kept, folder, { recursive: true });
}

async function sources(): Promise<string[]> {
  const source = join(PROJECT_ROOT, "src");
  const files = (await filesBelow(source)).filter(
    (path) => !NOT_WORKER.some((part) => relative(source, path).startsWith(part + sep)),
  );
  const others = [
    "package-lock.json",
    "wrangler.toml",
    "tsconfig.json",
    "src/tools/build/build-worker.ts",
    "src/tools/build/ascii-source.ts",
    "src/tools/build/build-page-scripts.ts",
  ];
  return [...files, ...others.map((name) => join(PROJECT_ROOT, name))];
}

async function bundle(target: string, { scratchDir }: { scratchDir: string }): Promise<void> {
  const draft = `${target}.${process.pid}`;
  await mkdir(KEPT, { recursive: true });
  try {
    await runWrangler(["deploy", "--dry-run", "--minify", "--outdir", draft], { scratchDir });
    // wrangler would hold the source map, three times the size of the bundle, for as long as the service runs.
    await rm(join(draft, "worker.js.map"), { force: true });
    const worker = join(draft, "worker.js");
    await writeFile(worker, await toAscii(await readFile(worker, "utf8")));
    await rename(draft, target).catch(async (error: unknown) => {
      // Another program has made the same in the meantime.
      if (!(await isFolder(target))) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function removeOld(current: string): Promise<void> {
  const before = Date.now() - MAX_AGE_MS;
  for (const name of await readdir(KEPT)) {
    const path = join(KEPT, name);
    if (path === current || (await stat(path)).mtimeMs > before) continue;
    await rm(path, { recursive: true, force: true });
  }
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
