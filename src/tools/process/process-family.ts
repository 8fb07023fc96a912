import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** The kernel frees the memory of a killed process before the process is gone: up to a second on a busy machine. */
const END_TIMEOUT_MS = 5_000;
const END_POLL_MS = 10;

interface SeenProcess {
  pid: number;
  parent: number;
  /** Distinguishes a process from a later one with the same number. */
  startedAt: string;
  isZombie: boolean;
}

/**
 * A process and everything below it, remembered from look to look: workerd and browsers outlive a parent that is
 * killed, and nothing but an earlier look says that they belonged to it.
 */
export class ProcessFamily {
  readonly #root: number;
  readonly #members = new Map<number, SeenProcess>();
  /** Numbers of the processes of the last look, of this family or not. */
  #seen: ReadonlySet<number> = new Set();

  constructor(rootPid: number) {
    this.#root = rootPid;
    this.look();
  }

  /**
   * Adds the processes that came since the last look, and reads only these: one that was no member then has a parent that
   * is none, and gets no other than the system's first. The system gives a number again only after all others, so that
   * one which was there at the last look is still that process.
   */
  look(): void {
    const { numbers, read } = listProcesses(this.#members.size === 0 ? new Set() : this.#seen);
    const root = read.find(({ pid }) => pid === this.#root);
    if (root !== undefined && this.#members.size === 0) this.#members.set(root.pid, root);
    const queue = this.#running();
    for (let member = queue.pop(); member !== undefined; member = queue.pop()) {
      for (const child of read) {
        if (child.parent !== member.pid || this.#members.get(child.pid)?.startedAt === child.startedAt) continue;
        this.#members.set(child.pid, child);
        queue.push(child);
      }
    }
    // A parent that came while the numbers were listed is a member from the next look on, and its child with it.
    for (const { pid, parent } of read) if (parent > 0 && !numbers.has(parent)) numbers.delete(pid);
    this.#seen = numbers;
  }

  /** Members that still run. */
  alive(): number[] {
    return this.#running().map(({ pid }) => pid);
  }

  /**
   * Signals every member to end at once; what a member started in the last moment is found by the second look. Members
   * still run for a moment afterwards: see {@link end}.
   */
  kill(): void {
    for (let round = 0; round < 2; round++) {
      this.look();
      for (const pid of this.alive()) killProcess(pid);
    }
  }

  /** Ends every member, and resolves when none runs any more, at the latest after five seconds. */
  async end(): Promise<void> {
    await endProcesses(() => {
      this.look();
      return this.alive();
    });
  }

  #running(): SeenProcess[] {
    const members = [...this.#members.values()];
    const present = readProcesses(members.map(({ pid }) => pid));
    return present.filter(
      ({ pid, startedAt, isZombie }) => !isZombie && this.#members.get(pid)?.startedAt === startedAt,
    );
  }
}

/**
 * Kills the processes that `find` lists, and those that it lists meanwhile. Resolves when none of them runs any more, at
 * the latest after five seconds.
 */
export async function endProcesses(find: () => number[]): Promise<void> {
  const deadline = performance.now() + END_TIMEOUT_MS;
  const killed = new Set<number>();
  for (;;) {
    const found = find();
    for (const pid of found) {
      killed.add(pid);
      killProcess(pid);
    }
    if (found.length === 0 && ![...killed].some(isRunning)) return;
    if (performance.now() > deadline) return;
    await sleep(END_POLL_MS);
  }
}

/** True while the process runs; false for zombies, which wait only for their parent to notice. */
export function isRunning(pid: number): boolean {
  if (existsSync("/proc/self/stat")) return readProcess(pid)?.isZombie === false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Distinguishes a process from a later one with the same number; undefined when it is gone, and on systems without `/proc`. */
export function startOf(pid: number): string | undefined {
  return readProcess(pid)?.startedAt;
}

/** The parent's number; undefined when the process is gone. */
export function parentOf(pid: number): number | undefined {
  return readProcesses([pid])[0]?.parent;
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself.
  }
}

/** Lists the numbers of all processes, and reads those that are not known. */
function listProcesses(known: ReadonlySet<number>): { numbers: Set<number>; read: SeenProcess[] } {
  if (!existsSync("/proc/self/stat")) {
    const all = listWithPs();
    return { numbers: new Set(all.map(({ pid }) => pid)), read: all };
  }
  const numbers = new Set(
    readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number),
  );
  return { numbers, read: [...numbers.difference(known)].flatMap((pid) => readProcess(pid) ?? []) };
}

/** Those of some processes that are there. */
function readProcesses(pids: readonly number[]): SeenProcess[] {
  if (existsSync("/proc/self/stat")) return pids.flatMap((pid) => readProcess(pid) ?? []);
  return listWithPs().filter(({ pid }) => pids.includes(pid));
}

/** `/proc/<pid>/stat`: the command in parentheses may contain any character, so fields are counted from its end. */
function readProcess(pid: number): SeenProcess | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { pid, parent: Number(fields[1]), startedAt: fields[19] ?? "", isZombie: fields[0] === "Z" };
  } catch {
    return undefined;
  }
}

/** For systems without `/proc`. */
function listWithPs(): SeenProcess[] {
  if (process.platform === "win32") return [];
  const table = execFileSync("ps", ["-A", "-o", "pid=,ppid=,stat=,lstart="], { encoding: "utf8" });
  return table.split("\n").flatMap((line) => {
    const fields = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.+)$/.exec(line);
    if (fields === null) return [];
    const [, pid, parent, state = "", startedAt = ""] = fields;
    return { pid: Number(pid), parent: Number(parent), startedAt, isZombie: state.startsWith("Z") };
  });
}
