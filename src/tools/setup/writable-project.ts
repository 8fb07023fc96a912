import { accessSync, constants, existsSync } from "node:fs";
import { cp, mkdir, rename, rm, symlink } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import { PROJECT_ROOT } from "../service/wrangler.ts";

/** The sources of the service's build. */
const SOURCES = [
  "src",
  "migrations",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "wrangler.toml",
  ".dev.vars",
];
/** Build outputs, which are used as long as they are made from the same sources, but for what only tests and checks leave there. */
const BUILT = "dist";
const NOT_BUILT = ["check", "nodes"];

/**
 * A folder that the service can be built in: the project's own, or where that is read-only, a copy of its sources inside
 * the state folder, with the project's dependencies, and at first with what was built in the project's folder.
 * @returns undefined for the project's own folder.
 * @throws Error when both are read-only.
 */
export async function writableProject(persistDir: string): Promise<string | undefined> {
  if (canWrite(PROJECT_ROOT)) return undefined;
  const path = relative(PROJECT_ROOT, persistDir);
  // On Windows, the path to another drive is absolute.
  const isInside = path !== ".." && !path.startsWith(`..${sep}`) && !isAbsolute(path);
  if (isInside) {
    throw new Error(
      `The project's folder ${PROJECT_ROOT} is read-only for this user, and the service needs one to write to. ` +
        "Name another: npm start -- --persist DIR",
    );
  }
  const copy = join(persistDir, "orbweaver", "project");
  await mkdir(copy, { recursive: true, mode: 0o700 });
  for (const name of SOURCES) {
    await rm(join(copy, name), { recursive: true, force: true });
    await cp(join(PROJECT_ROOT, name), join(copy, name), { recursive: true }).catch(ignoreMissing);
  }
  if (!existsSync(join(copy, BUILT))) await copyBuilt(join(PROJECT_ROOT, BUILT), join(copy, BUILT));
  await rm(join(copy, "node_modules"), { force: true });
  await symlink(join(PROJECT_ROOT, "node_modules"), join(copy, "node_modules"));
  return copy;
}

/** Copies a folder whole or not at all; one that cannot be read is built anew. */
async function copyBuilt(from: string, to: string): Promise<void> {
  const draft = `${to}.${process.pid}`;
  try {
    await cp(from, draft, { recursive: true, filter: (path) => !NOT_BUILT.includes(relative(from, path)) });
    await rename(draft, to);
  } catch {
    await rm(draft, { recursive: true, force: true });
  }
}

function canWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
