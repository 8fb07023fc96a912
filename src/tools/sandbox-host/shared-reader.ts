import { availableParallelism, freemem } from "node:os";
import { CodeProcess, type ProcessFiles } from "./code-process.ts";

const NAME = "reader";
/** A machine with less available memory is left without it. */
const NEEDED_BYTES = 2 * 2 ** 30;
/** Name of its socket in the folder of the processes. */
export const READER_SOCKET = `${NAME}.sock`;
/** Resident memory at which it is ended; the next page starts another one. It holds some 180 MiB while it works. */
const LIMIT_MIB = 384;
const LOOK_MS = 1_000;
/** Time without work after which it is ended. */
const IDLE_LIMIT_MS = 60_000;

/** The process that reads pages for a busy service. At most one runs. */
export class SharedReader {
  readonly #files: () => Promise<ProcessFiles>;
  #process: CodeProcess | undefined;
  #starting: Promise<boolean> | undefined;
  #isClosed = false;
  #worked: { ticks: number | undefined; atMs: number } = { ticks: undefined, atMs: 0 };
  readonly #idleLimitMs: number;
  readonly #looking: NodeJS.Timeout;

  constructor(
    files: () => Promise<ProcessFiles>,
    { idleLimitMs = IDLE_LIMIT_MS, lookMs = LOOK_MS }: { idleLimitMs?: number | undefined; lookMs?: number } = {},
  ) {
    this.#files = files;
    this.#idleLimitMs = idleLimitMs;
    this.#looking = setInterval(() => this.#look(), lookMs).unref();
  }

  get isRunning(): boolean {
    return this.#process?.isUsable === true;
  }

  /** Starts it, unless it runs. @returns whether it answers; never on a machine with one processor or little memory */
  async start(): Promise<boolean> {
    if (availableParallelism() < 2 || (!this.isRunning && freemem() < NEEDED_BYTES)) return false;
    this.#starting ??= this.#start().finally(() => (this.#starting = undefined));
    return await this.#starting;
  }

  /** Ends it: it does not answer, or is no longer needed. */
  async end(): Promise<void> {
    this.#process?.kill();
    await this.#process?.gone;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#looking);
    await this.#starting?.catch(() => undefined);
    await this.end();
  }

  async #start(): Promise<boolean> {
    if (this.#process?.isUsable === true) return await this.#isReady(this.#process);
    await this.#process?.gone;
    const files = await this.#files();
    if (this.#isClosed) return false;
    this.#process = new CodeProcess({ sessionId: NAME, teamId: "" }, NAME, files);
    this.#process.limitMib = LIMIT_MIB;
    this.#worked = { ticks: undefined, atMs: Date.now() };
    return await this.#isReady(this.#process);
  }

  async #isReady(process: CodeProcess): Promise<boolean> {
    return await process.ready.then(
      () => process.isUsable,
      () => false,
    );
  }

  #look(): void {
    const process = this.#process;
    if (process?.isUsable !== true) return;
    process.watchMemory();
    const { ticks } = process;
    const nowMs = Date.now();
    if (ticks === undefined || ticks !== this.#worked.ticks) this.#worked = { ticks, atMs: nowMs };
    else if (nowMs - this.#worked.atMs >= this.#idleLimitMs) process.kill();
  }
}
