import type { Receipt } from "../core/account/receipt.ts";
import type { Deps, Payer } from "../services/deps.ts";
import type { Work } from "./work.ts";

/** What a handler finds in `c.var`. `deps` is there for every request, `caller` behind authentication. */
export interface AppEnv {
  Variables: {
    deps: Deps;
    caller: Payer;
    requestId: string;
    startedAtMs: number;
    /** Once the request was admitted to do something. */
    work: Work | undefined;
    /** Once it was first looked at (`receiptOf`). */
    receipt: Receipt | undefined;
  };
}
