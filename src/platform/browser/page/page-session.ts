import { abortable, sleep } from "../abortable.ts";
import { CdpError, type CdpConnection, type CdpMethod, type CdpParams, type CdpResult } from "../cdp-connection.ts";

interface PageIds {
  sessionId: string;
  /** Equal to the target's id. */
  frameId: string;
  contextId: string;
}

/** A script in the page threw, or could not be run. */
export class ScriptError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ScriptError";
  }
}

const LOST_CONTEXT =
  /context with specified id|execution context was destroyed|uniqueContextId|inspected target navigated|no frame for given id/i;
const MAX_EVALUATIONS = 4;

/**
 * One page of a browser. Every command ends at the latest when `signal` is aborted: by the deadline, a crash of the
 * page, the loss of the browser, or a result that ends the load.
 */
export class PageSession {
  readonly connection: CdpConnection;
  readonly ids: PageIds;
  readonly #controller: AbortController;
  readonly #deadlineMs: number;
  #world: Promise<number> | undefined;

  constructor(options: { connection: CdpConnection; ids: PageIds; controller: AbortController; deadlineMs: number }) {
    this.connection = options.connection;
    this.ids = options.ids;
    this.#controller = options.controller;
    this.#deadlineMs = options.deadlineMs;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Ends the load with `reason`. */
  end(reason: Error): void {
    this.#controller.abort(reason);
  }

  remainingMs(): number {
    return this.#deadlineMs - Date.now();
  }

  send<M extends CdpMethod>(method: M, params?: CdpParams<M>): Promise<CdpResult<M>> {
    return abortable(this.connection.send(method, params, this.ids.sessionId), this.signal);
  }

  /** Sends a command whose failure can be ignored. */
  async trySend<M extends CdpMethod>(method: M, params?: CdpParams<M>): Promise<CdpResult<M> | undefined> {
    try {
      return await this.send(method, params);
    } catch (error) {
      if (error instanceof CdpError) return undefined;
      throw error;
    }
  }

  sleep(ms: number): Promise<void> {
    return sleep(ms, this.signal);
  }

  /**
   * Evaluates an expression in an isolated world, which shares the page's document but none of its variables: a page
   * that replaced `JSON` or `Array.prototype` cannot change the result. Repeated when a navigation interrupts it.
   * @throws ScriptError with the page's own error
   */
  async evaluate<T>(expression: string): Promise<T> {
    const { result } = await this.evaluateRaw(expression, { returnByValue: true });
    // The programs of page-scripts.ts define the shapes of their results.
    return result.value as T;
  }

  /** Like `evaluate`, but returns the protocol's own result, for objects that stay in the page. */
  async evaluateRaw(expression: string, options: { returnByValue: boolean }): Promise<CdpResult<"Runtime.evaluate">> {
    for (let attempt = 1; ; attempt++) {
      try {
        const contextId = await this.#isolatedWorld();
        return unwrap(await this.send("Runtime.evaluate", { expression, contextId, awaitPromise: true, ...options }));
      } catch (error) {
        if (!(error instanceof CdpError) || !LOST_CONTEXT.test(error.message) || attempt >= MAX_EVALUATIONS)
          throw error;
        this.#world = undefined;
        await this.sleep(30 * attempt);
      }
    }
  }

  /** Drops the isolated world after the document was replaced. */
  forgetWorld(): void {
    this.#world = undefined;
  }

  #isolatedWorld(): Promise<number> {
    if (this.#world !== undefined) return this.#world;
    const made = this.send("Page.createIsolatedWorld", { frameId: this.ids.frameId, worldName: "reader" });
    const world = made.then(({ executionContextId }) => executionContextId);
    world.catch(() => {
      if (this.#world === world) this.#world = undefined;
    });
    this.#world = world;
    return world;
  }
}

/** @throws ScriptError when the script threw */
export function unwrap<R extends CdpResult<"Runtime.evaluate">>(answer: R): R {
  if (answer.exceptionDetails === undefined) return answer;
  const { exception, text } = answer.exceptionDetails;
  const [firstLine = text] = (exception?.description ?? String(exception?.value ?? text)).split("\n");
  throw new ScriptError(firstLine);
}
