import type { Deps } from "../services/deps.ts";
import type { Caller } from "./api.ts";
import type { JobRecord } from "./call-context.ts";
import { MAX_WAIT_SECONDS } from "./tools.ts";

export type RequestId = string | number | undefined;

/** A waiting call ends long before this; what is left then belongs to an instance that is gone. */
const LIFE_MS = 2 * MAX_WAIT_SECONDS * 1000;
/** Jobs that the end of one session cancels. */
const MAX_JOBS = 100;

/**
 * Calls of one team that wait for a job, in all instances of the service: a client's cancellation may reach another instance
 * than its call. A call that cannot be recorded goes on, and can only be cancelled in its own instance.
 */
export class SharedCalls {
  readonly #teamId: string;
  readonly #deps: Pick<Deps, "waitingCalls" | "clock">;

  constructor(deps: Pick<Deps, "waitingCalls" | "clock">, teamId: string) {
    this.#deps = deps;
    this.#teamId = teamId;
  }

  /** Returns the record of a call. A client without a session cannot cancel, so its calls are not recorded. */
  recordOf(session: string | null, requestId: string | number): JobRecord {
    if (session === null) return { started: async () => false, ended: async () => undefined };
    const { waitingCalls } = this.#deps;
    const call = this.#call(session, requestId);
    return {
      started: (jobPath) => waitingCalls.add({ ...call, jobPath }).catch(() => false),
      // A row that stays expires.
      ended: () => waitingCalls.delete(call).catch(() => undefined),
    };
  }

  /** Cancels the job of a call. One that has no job yet is cancelled when it starts one. */
  async cancel(caller: Caller, session: string | null, requestId: RequestId): Promise<void> {
    if (session === null || requestId === undefined) return;
    const { waitingCalls, clock } = this.#deps;
    const path = await waitingCalls.cancel({ ...this.#call(session, requestId), nowMs: clock.now() });
    if (path !== undefined) await caller.call("DELETE", path);
  }

  /** Cancels the jobs of all calls of a session. */
  async endSession(caller: Caller, session: string): Promise<void> {
    const paths = await this.#deps.waitingCalls.endSession({ teamId: this.#teamId, session }, MAX_JOBS);
    await Promise.all(paths.map((path) => caller.call("DELETE", path)));
  }

  #call(session: string, requestId: string | number) {
    const expiresAtMs = this.#deps.clock.now() + LIFE_MS;
    // Text and number ids differ.
    return { teamId: this.#teamId, session, request: JSON.stringify(requestId).slice(0, 200), expiresAtMs };
  }
}
