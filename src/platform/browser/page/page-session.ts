import type { Protocol } from "devtools-protocol";
import type { PageFunction, PageObject } from "../../../page-scripts/page-functions.ts";
import { NOBODY, type Owner } from "../../../core/fair-order.ts";
import { callOf, PageObjectId } from "./call-function.ts";
import { abortable, sleep } from "../abortable.ts";
import { CdpError, type CdpConnection, type CdpMethod, type CdpParams, type CdpResult } from "../cdp-connection.ts";

interface PageIds {
  sessionId: string;
  /** Equal to the target's id. */
  frameId: string;
  contextId: string;
}

interface PageSessionOptions {
  connection: CdpConnection;
  ids: PageIds;
  browserId: string;
  /** Owner of the load. Loads without one count as one team's. */
  owner?: Owner | undefined;
  controller: AbortController;
  deadlineMs: number;
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
/** Characters of a page's error. */
const MAX_ERROR_LENGTH = 1_000;

/**
 * One page of a browser. Every command ends at the latest when `signal` is aborted: by the deadline, a crash of the
 * page, the loss of the browser, or a result that ends the load.
 */
export class PageSession {
  readonly connection: CdpConnection;
  readonly ids: PageIds;
  /** The platform's id of the browser session. */
  readonly browserId: string;
  readonly owner: Owner;
  readonly #controller: AbortController;
  readonly #deadlineMs: number;
  #world: Promise<number> | undefined;

  constructor(options: PageSessionOptions) {
    this.connection = options.connection;
    this.ids = options.ids;
    this.browserId = options.browserId;
    this.owner = options.owner ?? NOBODY;
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
   * Calls a function in an isolated world, which shares the page's document but none of its variables: a page
   * that replaced `JSON` or `Array.prototype` cannot change the result. Repeated when a navigation interrupts it.
   * @throws ScriptError with the page's own error
   */
  async call<V extends readonly unknown[], R>(called: PageFunction<V, R>, ...values: V): Promise<R> {
    const { value } = await this.#callIsolated(called, values, { returnByValue: true });
    // The function's signature defines the shape of its result.
    return value as R;
  }

  /** Like `call`, but returns an object that stays in the page; undefined when the function finds none. */
  async callForObject<V extends readonly unknown[]>(
    called: PageFunction<V, PageObject | null | undefined>,
    ...values: V
  ): Promise<PageObjectId | undefined> {
    const { objectId } = await this.#callIsolated(called, values, { returnByValue: false });
    return objectId === undefined ? undefined : new PageObjectId(objectId);
  }

  /**
   * Calls a function on an object, in the world that the object is of.
   * @throws ScriptError with the page's own error
   */
  async callOn<V extends readonly unknown[], R>(
    object: PageObjectId,
    called: PageFunction<[PageObject, ...V], R>,
    ...values: V
  ): Promise<R> {
    const { objectId } = object;
    const call = { ...callOf(called, [object, ...values]), objectId, awaitPromise: true, returnByValue: true };
    // The function's signature defines the shape of its result.
    return unwrap(await this.send("Runtime.callFunctionOn", call)).result.value as R;
  }

  async #callIsolated<V extends readonly unknown[]>(
    called: PageFunction<V, unknown>,
    values: V,
    options: { returnByValue: boolean },
  ): Promise<Protocol.Runtime.RemoteObject> {
    const call = { ...callOf(called, values), awaitPromise: true, ...options };
    for (let attempt = 1; ; attempt++) {
      try {
        const executionContextId = await this.#isolatedWorld();
        return unwrap(await this.send("Runtime.callFunctionOn", { ...call, executionContextId })).result;
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
  throw new ScriptError(firstLine.slice(0, MAX_ERROR_LENGTH));
}
