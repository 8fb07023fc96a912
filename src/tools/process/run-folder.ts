import { rmSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { isRunning } from "./process-family.ts";
import { removeLeftovers, removeLeftoversNow } from "./run-leftovers.ts";

const NAME = /^run-(\d+)-/;
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
    const owner = NAME.exec(name)?.[1];
    if (owner === undefined) continue;
    if (isRunning(Number(owner))) {
      throw new Error(
        `Another service (process ${owner}) stores its data in ${persistDir}. ` +
          `Stop it, or give this one a folder of its own with --persist DIR. ` +
          `If process ${owner} is something else, delete ${join(place, name)}.`,
      );
    }
    await removeLeftovers(join(place, name));
    await rm(join(place, name), { recursive: true, force: true });
  }
  const folder = await mkdtemp(join(place, `run-${process.pid}-`));
  if (made.size === 0) process.once("exit", removeAll);
  made.add(folder);
  return folder;
}

/** Settings hold keys: they go also when the program ends before its time. */
function removeAll(): void {
  for (const folder of made) {
    removeLeftoversNow(folder);
    rmSync(folder, { recursive: true, force: true });
  }
}
