import type { Refusal } from "../core/outbound-policy.ts";

/** What a URL came to: loadable, refused by policy, or a name that does not exist. */
export type GuardVerdict =
  | { kind: "allowed" }
  | ({ kind: "refused" } & Refusal)
  | { kind: "not_found"; hostname: string };

/** Says whether a URL may be called. Used for every fetch, redirect, webhook and browser request. */
export interface OutboundGuard {
  check(url: string, ownHosts: readonly string[]): Promise<GuardVerdict>;
}
