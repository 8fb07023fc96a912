import type { Work } from "./request-work.ts";
import type { Receipt } from "../core/account/receipt.ts";
import type { Deps, Payer } from "../services/deps.ts";

/** The variables in `c.var`. `deps` is set for every request, `caller` after authentication. */
export interface AppEnv {
  Variables: {
    deps: Deps;
    caller: Payer;
    requestId: string;
    startedAtMs: number;
    /** Signal of the request as it came. Aborted when the client leaves, also while it is sent the response. */
    connection: AbortSignal;
    /** ID for what the request creates; set for a request with an idempotency key, whose repeats have the same one. */
    workId: string | undefined;
    /** Set when the request was admitted. */
    work: Work | undefined;
    /** Set by the first call of `receiptOf`. */
    receipt: Receipt | undefined;
  };
}
