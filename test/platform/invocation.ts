import { AsyncLocalStorage } from "node:async_hooks";

/** Requests of one invocation that wait for response headers at once; the seventh waits for one of them. */
const CONNECTIONS = 6;
/** Queries of one invocation (D1, paid plan). */
const QUERIES = 1_000;
/** Invocations of a chain of calls between Workers and objects. */
const CHAIN = 32;

/** The limits of one invocation of a Worker, as the platform enforces them and the simulator does not. */
export class Invocation {
  /** Largest number of requests that waited for headers at once, and the number of those that were held back. */
  peak = 0;
  heldBack = 0;
  queries = 0;
  /** Place in its chain of calls; 1 for an invocation that a request, a message or an alarm has started. */
  readonly depth: number;
  #open = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(depth = 1) {
    this.depth = depth;
  }

  /** Returns the depth of an invocation that this one calls. @throws Error when the chain is as long as it may be */
  nextDepth(): number {
    if (this.depth >= CHAIN)
      throw new Error("Subrequest depth limit exceeded. This request recursed through Workers too many times.");
    return this.depth + 1;
  }

  /** Runs a request until its response headers have arrived, as one of six. */
  async connect<Result>(request: () => Promise<Result>): Promise<Result> {
    if (this.#open >= CONNECTIONS) {
      this.heldBack++;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#open++;
    this.peak = Math.max(this.peak, this.#open);
    try {
      return await request();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#open--;
      else next();
    }
  }

  /** @throws Error when the invocation has made all queries that it may make */
  query(count = 1): void {
    this.queries += count;
    if (this.queries > QUERIES)
      throw new Error(`D1_ERROR: Too many API requests by single worker invocation: ${this.queries}`);
  }
}

/** One for the runtime: test files and their setup have modules of their own. */
const current = sharedStorage();

/** Runs work as one invocation of its own. */
export async function inInvocation<Result>(
  work: () => Promise<Result>,
  invocation: Invocation = new Invocation(),
): Promise<Result> {
  return await current.run(invocation, work);
}

/** Runs work as an invocation, and returns what it returns. */
export function runAs<Result>(invocation: Invocation, work: () => Result): Result {
  return current.run(invocation, work);
}

/** Returns the invocation that runs; undefined outside of one, where only the limits of values hold. */
export function currentInvocation(): Invocation | undefined {
  return current.getStore();
}

function sharedStorage(): AsyncLocalStorage<Invocation> {
  const shared = globalThis as { platformInvocation?: AsyncLocalStorage<Invocation> };
  return (shared.platformInvocation ??= new AsyncLocalStorage<Invocation>());
}
