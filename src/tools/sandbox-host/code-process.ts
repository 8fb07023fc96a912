import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { request } from "node:http";
import { createConnection, type Socket } from "node:net";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { CODE_LIMIT_MIB, type StopReason } from "../../core/sessions/code-run.ts";

/** Where a process finds its programs, and puts its socket. */
export interface ProcessFiles {
  workerd: string;
  folder: string;
  config: string;
}

/** Whose code a process runs. */
export interface ProcessOwner {
  sessionId: string;
  /** Empty for pages, which all teams share. */
  teamId: string;
  /** True for callers' code: the service and the reading of pages go first where the processor is short. */
  givesWay?: boolean;
}

/** The operating system's limit of private writable memory in KiB, of which workerd reserves 600 MB unused. */
const MAX_DATA_KIB = 2 * 2 ** 20;
/**
 * A process that holds more than this share of its limit after a run is not kept for another one. Every run leaves 12 to
 * 15 MiB behind, which would otherwise count against the limit of a later run.
 */
const KEPT_SHARE = 0.5;
const START_LIMIT_MS = 20_000;
const PROBE_LIMIT_MS = 1_000;
const MAX_KEPT_CHARS = 4_000;
const OUT_OF_MEMORY = /out of memory|heap limit|allocation failed|bad_alloc/i;

/** Half of the processor's time of an equal process is left to callers' code, as to a browser. */
const NICENESS = 3;

/**
 * Starts workerd under resource limits, prints its process id, and ends it when descriptor 3 closes, which happens when
 * the program that started it exits for any reason. No workerd is left, even on systems without death signals.
 */
const KEEPER = `ulimit -c 0; ulimit -d ${MAX_DATA_KIB} 2>/dev/null
"$@" </dev/null 3<&- &
echo "pid $!"
exec >/dev/null 2>&1
read _ <&3
kill -9 $!`;

/** One workerd process for the code of one session, which ends it alone when it goes too far. */
export class CodeProcess {
  readonly sessionId: string;
  readonly teamId: string;
  isBusy = false;
  /** Resident memory at which it is ended. */
  limitMib = CODE_LIMIT_MIB;
  idleSinceMs = Date.now();
  isOver = false;
  readonly over: Promise<void>;
  /** Resolves when neither the process nor its keeper runs any more. */
  readonly gone: Promise<void>;
  readonly ready: Promise<void>;
  /** While it is looked at after a run. */
  resting: Promise<void> | undefined;
  readonly #socketPath: string;
  readonly #keeper: ChildProcess;
  /** Why it was ended from here; one that ended by itself has crashed, or was out of memory. */
  #stopReason: StopReason | undefined;
  #isEnding = false;
  #pid: number | undefined;
  #errors = "";

  constructor({ sessionId, teamId, givesWay = false }: ProcessOwner, name: string, files: ProcessFiles) {
    const { workerd, folder, config } = files;
    this.sessionId = sessionId;
    this.teamId = teamId;
    this.#socketPath = join(folder, `${name}.sock`);
    const words = ["serve", "--experimental", "--control-fd=1", `--socket-addr=main=unix:${this.#socketPath}`, config];
    const start = givesWay ? ["nice", "-n", String(NICENESS), workerd] : [workerd];
    this.#keeper = spawn("/bin/sh", ["-c", KEEPER, "sh", ...start, ...words], {
      cwd: folder,
      env: { PATH: process.env["PATH"] },
      stdio: ["ignore", "pipe", "pipe", "pipe"],
    });
    // Without free file descriptors, `spawn` reports it after the constructor has failed for want of the pipes.
    this.#keeper.once("error", () => undefined);
    // The pipe that keeps the process alive breaks when its other side is gone.
    this.#keeper.stdio[3]?.on("error", () => undefined);
    const { stdout, stderr } = this.#keeper;
    stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#errors = (this.#errors + text).slice(-MAX_KEPT_CHARS);
    });
    this.over = new Promise((resolve) => {
      const end = (): void => {
        this.isOver = true;
        this.#keeper.stdio[3]?.destroy();
        // The next process may listen at the same place.
        void rm(this.#socketPath, { force: true }).finally(resolve);
      };
      // Its last words, such as those of a full heap, come before its end.
      stderr?.once("close", end);
      this.#keeper.once("error", end);
    });
    const keeperEnded = new Promise<void>((resolve) => {
      this.#keeper.once("exit", () => resolve());
      this.#keeper.once("error", () => resolve());
    });
    this.gone = Promise.all([this.over, keeperEnded]).then(() => undefined);
    this.ready = this.#start(stdout);
    this.ready.catch(() => this.kill());
    for (const stream of this.#keeper.stdio) if (stream && "unref" in stream) (stream as Socket).unref();
    this.#keeper.unref();
  }

  /** The number of the process, for those who watch or end it from outside. */
  get pid(): number | undefined {
    return this.#pid;
  }

  /** It has not ended, and is not being ended. */
  get isUsable(): boolean {
    return !this.isOver && !this.#isEnding;
  }

  /** Why it is over. */
  get reason(): StopReason {
    return this.#stopReason ?? (OUT_OF_MEMORY.test(this.#errors) ? "memory" : "crash");
  }

  connect(): Socket {
    return createConnection(this.#socketPath);
  }

  /** Ends the process, and reports the reason to a run in progress. */
  kill(reason?: StopReason): void {
    if (this.isOver) return;
    this.#isEnding = true;
    this.#stopReason ??= reason;
    // A program that waits for the end must not end before it.
    this.#keeper.ref();
    const { stderr } = this.#keeper;
    if (stderr && "ref" in stderr) (stderr as Socket).ref();
    if (this.#pid !== undefined) endProcess(this.#pid);
    this.#keeper.stdio[3]?.destroy();
  }

  /** Ends it when it holds more memory than it may. */
  watchMemory(): void {
    if (!this.isOver && this.#residentMib() > this.limitMib) this.kill("memory");
  }

  /** Ticks of processor time so far; undefined where the system does not tell. */
  get ticks(): number | undefined {
    return this.#pid === undefined ? undefined : processorTicks(this.#pid);
  }

  #residentMib(): number {
    return this.#pid === undefined ? 0 : residentBytes(this.#pid) / 2 ** 20;
  }

  /** After a run: keeps the process for the next one if it answers and little is left over in it; else it is ended. */
  rest(): Promise<void> {
    this.resting ??= this.#probe()
      .then(async (answers) => {
        const isClean = answers && this.#residentMib() <= this.limitMib * KEPT_SHARE;
        this.idleSinceMs = Date.now();
        this.isBusy = !isClean;
        if (isClean) return;
        this.kill();
        await this.over;
      })
      .finally(() => (this.resting = undefined));
    return this.resting;
  }

  #start(stdout: Readable | null): Promise<void> {
    let said = "";
    return new Promise((resolve, reject) => {
      const limit = setTimeout(() => reject(new Error("workerd does not start")), START_LIMIT_MS).unref();
      stdout?.setEncoding("utf8").on("data", (text: string) => {
        said = (said + text).slice(-MAX_KEPT_CHARS);
        this.#pid ??= Number(/^pid (\d+)$/m.exec(said)?.[1]) || undefined;
        if (said.includes('"listen"')) resolve();
      });
      void this.over.then(() => reject(new Error(`workerd ended while it started: ${this.#errors}`)));
      this.ready?.finally(() => clearTimeout(limit)).catch(() => undefined);
    });
  }

  #probe(): Promise<boolean> {
    return new Promise((resolve) => {
      const asked = request({ socketPath: this.#socketPath, path: "/", timeout: PROBE_LIMIT_MS }, (answer) => {
        answer.resume();
        resolve(answer.statusCode === 204);
      });
      asked.once("timeout", () => asked.destroy());
      asked.once("error", () => resolve(false));
      asked.once("close", () => resolve(false));
      asked.end();
    });
  }
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

/** `/proc/<pid>/status`; 0 where the system has no such thing, or the process is gone. */
function residentBytes(pid: number): number {
  try {
    const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1];
    return Number(kib ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/** Fields 14 and 15 of `/proc/<pid>/stat`, after the name in brackets, which may hold anything. */
function processorTicks(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [user, system] = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .slice(11, 13);
    return Number(user) + Number(system);
  } catch {
    return undefined;
  }
}
