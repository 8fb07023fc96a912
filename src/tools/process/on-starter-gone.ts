import { readFileSync } from "node:fs";
import { isRunning, parentOf } from "./process-family.ts";

const POLL_MS = 1_000;
/** npm, its shell and the bootstrap program: there are no more processes between npm and a program. */
const MAX_STEPS = 4;

/**
 * Calls back once when the npm that started this program has ended, or anything between the two. npm passes a signal
 * to its shell, and the shell exits without forwarding it, so there is no other notice.
 * A program that npm did not start goes on when its parent ends, as programs in the background do.
 */
export function onStarterGone(callback: () => void): void {
  if (process.env["npm_lifecycle_event"] === undefined) return;
  const starters = startersUpToNpm();
  const polling = setInterval(() => {
    if (starters.every(isRunning) && process.ppid === starters[0]) return;
    clearInterval(polling);
    callback();
  }, POLL_MS);
  polling.unref();
}

function startersUpToNpm(): number[] {
  const starters: number[] = [];
  let pid: number | undefined = process.ppid;
  for (let step = 0; step < MAX_STEPS && pid !== undefined && pid > 1; step++) {
    starters.push(pid);
    if (isNpm(pid)) return starters;
    pid = parentOf(pid);
  }
  // An unknown package manager: only the parent is sure to belong to this start.
  return starters.slice(0, 1);
}

function isNpm(pid: number): boolean {
  try {
    return /^(?:npm|pnpm|yarn|bun)\b|\/(?:npm|pnpm|yarn|bun)\b/.test(
      readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " "),
    );
  } catch {
    return false;
  }
}
