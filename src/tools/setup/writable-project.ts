import { accessSync, constants } from "node:fs";
import { cp, mkdir, rm, symlink } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { PROJECT_ROOT } from "../service/wrangler.ts";

/** The sources of the service's build. Build outputs stay beside them and are reused. */
const SOURCES = [
  "src",
  "migrations",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "wrangler.toml",
  ".dev.vars",
];

/**
 * A folder that the service can be built in: the project's own, or where that is read-only, a copy of its sources inside
 * the state folder, with the project's dependencies.
 * @returns undefined for the project's own folder.
 * @throws Error when both are read-only.
 */
export async function writableProject(persistDir: string): Promise<string | undefined> {
  if (canWrite(PROJECT_ROOT)) return undefined;
  const isInside = !relative(PROJECT_ROOT, persistDir).startsWith(`..${sep}`);
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
  await rm(join(copy, "node_modules"), { force: true });
  await symlink(join(PROJECT_ROOT, "node_modules"), join(copy, "node_modules"));
  return copy;
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
