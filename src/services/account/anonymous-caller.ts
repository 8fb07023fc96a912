import type { Caller } from "../deps.ts";

/**
 * Returns the caller when authentication is disabled. It lacks the admin scope: keys created in that time would remain
 * valid after authentication is enabled again.
 */
export function anonymousCaller(): Caller {
  return {
    key: {
      id: "anonymous",
      teamId: "bypass",
      name: "anonymous",
      prefix: "",
      scopes: { admin: false },
      limits: {},
      monthlyCredits: undefined,
      maxConcurrency: undefined,
      createdAtMs: 0,
      expiresAtMs: undefined,
      revokedAtMs: undefined,
    },
  };
}
