/** Sockets that watch one job at a time; SDKs open one. */
const MAX_OF_A_JOB = 10;
/** Sockets of a team at a time. */
const MAX_OF_A_TEAM = 50;
/**
 * Bytes that the open sockets of a team were sent. What a client does not read stays in memory, and neither the
 * runtime nor the client says how much that is.
 */
const MAX_BYTES_OF_A_TEAM = 128_000_000;

/** A socket that neither sent nor closed for this long belongs to a client that is gone without a word. */
const LOST_MS = 600_000;

/** One socket that watches a job. */
interface Watcher {
  teamId: string;
  jobId: string;
  bytes: number;
  seenAtMs: number;
}

/** A socket's place among those of its isolate. */
export interface WatcherPlace {
  /** Counts a message before it is read. @returns false when the team's sockets were sent as much as they may, and this one must close */
  send(bytes: number): boolean;
  /** Call when the client has closed the socket. */
  leave(): void;
}

/** Counts the sockets that watch jobs in an isolate, and what they were sent. */
export class JobWatchers {
  readonly #watchers = new Set<Watcher>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number = Date.now) {
    this.#nowMs = nowMs;
  }

  /** @returns undefined when the job, or the team, is watched by as many sockets as it may be */
  enter(teamId: string, jobId: string): WatcherPlace | undefined {
    const nowMs = this.#nowMs();
    for (const each of this.#watchers) if (nowMs - each.seenAtMs > LOST_MS) this.#watchers.delete(each);
    const ofTeam = [...this.#watchers].filter((watcher) => watcher.teamId === teamId);
    const ofJob = ofTeam.filter((watcher) => watcher.jobId === jobId);
    if (ofTeam.length >= MAX_OF_A_TEAM || ofJob.length >= MAX_OF_A_JOB) return undefined;
    const watcher: Watcher = { teamId, jobId, bytes: 0, seenAtMs: nowMs };
    this.#watchers.add(watcher);
    return {
      send: (bytes) => {
        watcher.bytes += bytes;
        watcher.seenAtMs = this.#nowMs();
        return this.#bytesOf(teamId) <= MAX_BYTES_OF_A_TEAM;
      },
      leave: () => void this.#watchers.delete(watcher),
    };
  }

  #bytesOf(teamId: string): number {
    let bytes = 0;
    for (const watcher of this.#watchers) if (watcher.teamId === teamId) bytes += watcher.bytes;
    return bytes;
  }
}
