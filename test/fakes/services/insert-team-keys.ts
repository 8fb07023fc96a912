import { sha256Hex } from "../../../src/core/text/hash.ts";
import type { Deps } from "../../../src/services/deps.ts";

/** Stores one key for each team. @param keys the keys by the IDs of the teams, which are those of the keys as well */
export async function insertTeamKeys({ keys: store }: Pick<Deps, "keys">, keys: Record<string, string>): Promise<void> {
  for (const [teamId, key] of Object.entries(keys)) {
    const row = {
      id: teamId, teamId, name: teamId, prefix: "fc-000000", scopes: { admin: false }, limits: {}, createdAtMs: 0,
      monthlyCredits: undefined, maxConcurrency: undefined, expiresAtMs: undefined, revokedAtMs: undefined,
    }; // prettier-ignore
    await store.insert(row, await sha256Hex(key));
  }
}
