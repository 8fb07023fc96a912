import { rmSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { isRunning, startOf } from "./process-family.ts";
import { removeLeftovers, removeLeftoversNow } from "./run-leftovers.ts";

/** The process, and its start where the system tells it. */
const NAME = /^run-(\d+)-(?:(\d+)-)?/;
const made = new Set<string>();

/**
 * Makes the folder for one run's own files inside a state folder, readable for this user only, and removes what
 * crashed runs left behind: their processes, their temporary files and their folders. It also says that the state is in use: two services would damage each other's databases.
 * @throws Error when another service runs on this state.
 */
export async function makeRunFolder(persistDir: string): Promise<string> {
  const place = join(persistDir, "orbweaver");
  await mkdir(place, { recursive: true, mode: 0o700 });
  for (const name of await readdir(place)) {
    const [, owner, start] = NAME.exec(name) ?? [];
    if (owner === undefined) continue;
    if (made.has(join(place, name)) || isOwnedByOther(Number(owner), start)) {
      throw new Error(
        `Another service (process ${owner}) stores its data in ${persistDir}. ` +
          `Stop it, or give this one a folder of its own with --persist DIR. ` +
          `If process ${owner} is something else, delete ${join(place, name)}.`,
      );
    }
    await removeLeftovers(join(place, name));
    await rm(join(place, name), { recursive: true, force: true });
  }
  const start = startOf(process.pid);
  const folder = await mkdtemp(join(place, `run-${process.pid}-${start === undefined ? "" : `${start}-`}`));
  if (made.size === 0) process.once("exit", removeAll);
  made.add(folder);
  return folder;
}

/** In a container that starts again, this process or another one may have the number of the one that made the folder. */
function isOwnedByOther(pid: number, start: string | undefined): boolean {
  if (pid === process.pid || !isRunning(pid)) return false;
  return start === undefined || start === startOf(pid);
}

/** Settings hold keys: they go also when the program ends before its time. */
function removeAll(): void {
  for (const folder of made) {
    removeLeftoversNow(folder);
    rmSync(folder, { recursive: true, force: true });
  }
}
