import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { endProcesses, isRunning } from "./process-family.ts";

const RUN = "run";
/** The names of folders for temporary files: what for, and whose. */
const NAME = /^orbweaver-([a-z]+)-([0-9a-f]{4})([0-9a-z]+)-\w{6}$/;
/** Process ids say nothing on another host that shares the folder for temporary files. */
const HOST = createHash("sha256").update(hostname()).digest("hex").slice(0, 4);
const PID_BASE = 36;
/** In a run's folder: a link to its folder for temporary files. */
const LINK = "temporary";
/** The variable that all processes of a run carry; its value is the folder for temporary files. */
const MARK = "ORBWEAVER_RUN";

/**
 * Makes the folder for the temporary files of a run's processes. It is not below the run's own folder: browsers put
 * sockets in it, whose paths have at most 107 bytes.
 * @returns variables for the processes, which name the folder and mark them as the run's.
 */
export function makeTemporaryFolder(runFolder: string): { folder: string; env: Record<string, string> } {
  const folder = makeOwnedFolder(RUN);
  symlinkSync(folder, join(runFolder, LINK));
  return { folder, env: { TMPDIR: folder, [MARK]: folder } };
}

/**
 * Makes a folder for temporary files that has the id of this process in its name. Folders whose processes have ended
 * without removing them are removed first, and what still runs in them is ended.
 * @param kind what the files are for, in lower case letters.
 */
export function makeOwnedFolder(kind: string): string {
  for (const name of readdirSync(tmpdir())) {
    const [, , host, owner = ""] = NAME.exec(name) ?? [];
    if (host === HOST && !isRunning(parseInt(owner, PID_BASE))) removeAbandoned(join(tmpdir(), name));
  }
  return mkdtempSync(join(tmpdir(), `orbweaver-${kind}-${HOST}${process.pid.toString(PID_BASE)}-`));
}

/** A folder that cannot be removed, such as one of another user, stays. */
function removeAbandoned(folder: string): void {
  try {
    removeFolder(folder);
  } catch {
    // The next start tries again.
  }
}

/** Like {@link removeLeftovers}, without waiting for processes to end: for the exit of a program. */
export function removeLeftoversNow(runFolder: string): void {
  const folder = temporaryFolder(runFolder);
  if (folder !== undefined) removeFolder(folder);
}

/**
 * Ends the processes that a run has left behind, waits for their end, and removes the run's temporary files. Other runs
 * keep theirs.
 */
export async function removeLeftovers(runFolder: string): Promise<void> {
  const folder = temporaryFolder(runFolder);
  if (folder === undefined) return;
  await endProcesses(() => markedProcesses(folder));
  removeFolder(folder);
}

function removeFolder(folder: string): void {
  for (const pid of markedProcesses(folder)) killProcess(pid);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

/** The processes that run with a folder for temporary files, or have a browser profile in it. */
export function markedProcesses(folder: string): number[] {
  return listCommands()
    .filter(({ pid, words }) => pid !== process.pid && words.some((word) => isMarked(word, folder)))
    .map(({ pid }) => pid);
}

const isMarked = (word: string, folder: string): boolean =>
  word === `${MARK}=${folder}` || word === `TMPDIR=${folder}` || word.startsWith(`--user-data-dir=${folder}/`);

function temporaryFolder(runFolder: string): string | undefined {
  try {
    const folder = readlinkSync(join(runFolder, LINK));
    return NAME.exec(basename(folder))?.[1] === RUN ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** Words of the command line, and variables, of each process that this user may look at. */
function listCommands(): { pid: number; words: string[] }[] {
  if (existsSync("/proc/self/environ")) {
    const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    return pids.map((pid) => ({
      pid: Number(pid),
      words: [...readWords(pid, "cmdline"), ...readWords(pid, "environ")],
    }));
  }
  if (process.platform === "win32") return [];
  const table = execFileSync("ps", ["-A", "-E", "-ww", "-o", "pid=,command="], {
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  return table.split("\n").map((line) => {
    const [pid, ...words] = line.trim().split(" ");
    return { pid: Number(pid), words };
  });
}

/** Chromium's child processes join the words of their command line with spaces. */
function readWords(pid: string, file: "cmdline" | "environ"): string[] {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8").split(file === "cmdline" ? /[\0 ]/ : "\0");
  } catch {
    return [];
  }
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself.
  }
}
