import type { Caller, Deps } from "../services/deps.ts";

/** What a handler finds in `c.var`. `deps` is there for every request, `caller` behind authentication. */
export interface AppEnv {
  Variables: {
    deps: Deps;
    caller: Caller;
    requestId: string;
  };
}
