import { LOCAL_CODE_RUNS, PAGES_APART_OF_A_TEAM, PAGES_SESSION } from "../../core/sessions/code-run.ts";
import { CodeProcess, type ProcessFiles, type ProcessOwner } from "./code-process.ts";

/** Of one session at once, with one for its shell; further runs of it wait. */
const MAX_PER_SESSION = LOCAL_CODE_RUNS + 1;
/** The service begins the first pages of other teams beside those of one. */
const MAX_OF_PAGES = 2 * PAGES_APART_OF_A_TEAM;
/** Of all sessions, beside those of pages. */
const MAX_OF_SESSIONS = 10;
/** Places that a team with as many or more processes at work leaves to others; one with a single process leaves one. */
const LEFT_TO_OTHERS = 2;
const IDLE_LIMIT_MS = 60_000;
/** Sessions whose end is remembered: their runs may arrive after it. */
const MAX_FORGOTTEN = 1_000;
const MEMORY_LOOK_MS = 40;
const IDLE_LOOK_MS = 5_000;

interface Waiter {
  teamId: string;
  look(): void;
}

/**
 * The processes that run code, each for one session. Those with nothing to do are kept for their session for a while. Pages have
 * places of their own, so that no code of sessions keeps them waiting.
 */
export class ProcessPool {
  readonly #files: () => Promise<ProcessFiles>;
  readonly #processes = new Set<CodeProcess>();
  /** The ends of all processes that still run, also of those that are being ended. */
  readonly #leaving = new Set<Promise<void>>();
  /** Runs that wait for a place, the first one first. */
  readonly #waiting: Waiter[] = [];
  /** Ended sessions, the latest last. */
  readonly #forgotten = new Set<string>();
  #started = 0;
  #isClosed = false;
  readonly #watching: NodeJS.Timeout[];

  constructor(files: () => Promise<ProcessFiles>) {
    this.#files = files;
    this.#watching = [
      setInterval(() => this.#watchMemory(), MEMORY_LOOK_MS).unref(),
      setInterval(() => this.#endIdle(), IDLE_LOOK_MS).unref(),
    ];
  }

  /** Processes that run something now. */
  get busy(): number {
    return [...this.#processes].filter(({ isBusy, isOver }) => isBusy && !isOver).length;
  }

  /** A process for one run of a session. Undefined when none became free in time, or the session has ended. */
  async take(owner: ProcessOwner, waitMs: number): Promise<CodeProcess | undefined> {
    const { sessionId, teamId } = owner;
    const endMs = Date.now() + waitMs;
    const files = await this.#files();
    for (;;) {
      if (this.#isClosed || this.#forgotten.has(sessionId) || Date.now() > endMs) return undefined;
      const mine = this.#of(sessionId);
      const idle = mine.find(({ isBusy }) => !isBusy);
      if (idle !== undefined) {
        idle.isBusy = true;
        await idle.ready.catch(() => undefined);
        if (idle.isUsable) return idle;
        continue;
      }
      const resting = mine.find(({ resting: look }) => look !== undefined)?.resting;
      if (resting !== undefined) await resting;
      else if (this.#makeRoom(owner)) this.#start(owner, files);
      else await this.#waitForPlace(teamId, endMs - Date.now());
    }
  }

  /** Starts a process for a session that has none, if there is room. */
  async warm(owner: ProcessOwner): Promise<void> {
    const { sessionId } = owner;
    const files = await this.#files();
    if (this.#isClosed || this.#forgotten.has(sessionId) || this.#of(sessionId).length > 0) return;
    if (this.#makeRoom(owner)) this.#start(owner, files);
  }

  /** The run is over. */
  async giveBack(process: CodeProcess): Promise<void> {
    await process.rest();
    this.#wakeAll();
  }

  /** Ends all processes of a session, and the waits of its runs. */
  forget(sessionId: string): void {
    this.#forgotten.add(sessionId);
    const [oldest = ""] = this.#forgotten;
    if (this.#forgotten.size > MAX_FORGOTTEN) this.#forgotten.delete(oldest);
    this.#wakeAll();
    for (const process of this.#of(sessionId)) process.kill();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#watching) clearInterval(timer);
    this.#wakeAll();
    const open = [...this.#processes];
    for (const process of open) process.kill();
    await Promise.all(this.#leaving);
  }

  #of(sessionId: string): CodeProcess[] {
    return [...this.#processes].filter((process) => process.isUsable && process.sessionId === sessionId);
  }

  /** Reports whether a process may start. The process of another session that has been idle for longest is ended for it. */
  #makeRoom({ sessionId, teamId }: ProcessOwner): boolean {
    const mine = this.#of(sessionId).length;
    if (sessionId === PAGES_SESSION) return mine < MAX_OF_PAGES;
    if (mine >= MAX_PER_SESSION) return false;
    const ofSessions = [...this.#processes].filter((process) => process.sessionId !== PAGES_SESSION);
    const idle = ofSessions.filter(({ isBusy, isUsable }) => !isBusy && isUsable);
    const free = MAX_OF_SESSIONS - ofSessions.length + idle.length;
    if (free <= Math.min(this.#countAtWork(teamId), LEFT_TO_OTHERS)) return false;
    if (ofSessions.length < MAX_OF_SESSIONS) return true;
    const [oldest] = idle.toSorted((a, b) => a.idleSinceMs - b.idleSinceMs);
    if (oldest === undefined) return false;
    oldest.kill();
    this.#processes.delete(oldest);
    return true;
  }

  /** Processes that run something of the sessions of a team. */
  #countAtWork(teamId: string): number {
    return [...this.#processes].filter(
      (process) => process.isBusy && process.teamId === teamId && process.sessionId !== PAGES_SESSION,
    ).length;
  }

  #start(owner: ProcessOwner, files: ProcessFiles): void {
    const process = new CodeProcess(owner, String(++this.#started), files);
    this.#processes.add(process);
    this.#leaving.add(process.gone);
    void process.gone.then(() => this.#leaving.delete(process.gone));
    void process.over.then(() => {
      this.#processes.delete(process);
      this.#wakeAll();
    });
  }

  /**
   * Runs of the teams that have least at work look first, among equals the one that has waited longest. It may be of a session that
   * has no use for the place. Those who find none wait on in their order.
   */
  #wakeAll(): void {
    const looking = this.#waiting.splice(0).map((waiter) => ({ waiter, atWork: this.#countAtWork(waiter.teamId) }));
    for (const { waiter } of looking.toSorted((a, b) => a.atWork - b.atWork)) waiter.look();
  }

  async #waitForPlace(teamId: string, waitMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiter = { teamId, look: resolve };
    this.#waiting.push(waiter);
    const timer = setTimeout(resolve, Math.max(0, waitMs)).unref();
    await promise;
    clearTimeout(timer);
    const place = this.#waiting.indexOf(waiter);
    if (place !== -1) this.#waiting.splice(place, 1);
  }

  #watchMemory(): void {
    for (const process of this.#processes) if (process.isBusy) process.watchMemory();
  }

  #endIdle(): void {
    const beforeMs = Date.now() - IDLE_LIMIT_MS;
    for (const process of this.#processes) {
      if (!process.isBusy && process.idleSinceMs < beforeMs) process.kill();
    }
  }
}
