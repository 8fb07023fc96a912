import type { IncomingHttpHeaders } from "node:http";

/** What came in with one request. */
export interface SeenRequest {
  method: string;
  /** Path and query as they were sent. */
  target: string;
  /** The Host header: tells which of the two origins was asked. */
  host: string;
  headers: IncomingHttpHeaders;
  /** Milliseconds since 1970. */
  atMs: number;
}

/** Enough for a crawl of the largest tree; older requests fall out of the log but stay counted. */
const MAX_LOGGED_REQUESTS = 10_000;

/** Counts and remembers the requests of both origins by path, and the attempts of routes that change their mind. */
export class Traffic {
  #hits = new Map<string, number>();
  #last = new Map<string, SeenRequest>();
  #log: SeenRequest[] = [];
  #attempts = new Map<string, number>();

  record(path: string, request: SeenRequest): void {
    this.#hits.set(path, (this.#hits.get(path) ?? 0) + 1);
    this.#last.set(path, request);
    this.#log.push(request);
    if (this.#log.length > MAX_LOGGED_REQUESTS) this.#log.shift();
  }

  hits(path: string): number {
    return this.#hits.get(path) ?? 0;
  }

  allHits(): Record<string, number> {
    return Object.fromEntries([...this.#hits].sort(([a], [b]) => a.localeCompare(b)));
  }

  last(path: string): SeenRequest | undefined {
    return this.#last.get(path);
  }

  /** Every request in the order it came. */
  log(): readonly SeenRequest[] {
    return this.#log;
  }

  /** Counts one more try under `key` and gives its number, from 1. */
  attempt(key: string): number {
    const number = (this.#attempts.get(key) ?? 0) + 1;
    this.#attempts.set(key, number);
    return number;
  }

  reset(): void {
    this.#hits.clear();
    this.#last.clear();
    this.#attempts.clear();
    this.#log = [];
  }
}
