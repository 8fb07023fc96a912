import type { Caller } from "../deps.ts";

/**
 * Who asks when authentication is switched off. Without the admin scope: keys that a stranger made in that time would go
 * on working after it is switched on again.
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
