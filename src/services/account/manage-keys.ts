import { v7 as uuidv7 } from "uuid";
import { keyPrefix, type ApiKey, type KeyLimits, type KeyScopes } from "../../core/account/api-key.ts";
import { AppError } from "../../core/errors.ts";
import { sha256Hex, toHex } from "../../core/text/hash.ts";
import { requireAdmin } from "./check-scope.ts";
import type { Caller, Deps } from "../deps.ts";
import { stopKeyWork, type StopDeps, type StoppedWork } from "./stop-key-work.ts";

export interface NewKey {
  name: string;
  /** The creator's team when absent. */
  teamId?: string | undefined;
  expiresAtMs?: number | undefined;
  scopes: KeyScopes;
  limits: KeyLimits;
  monthlyCredits?: number | undefined;
  maxConcurrency?: number | undefined;
}

type Uses = Pick<Deps, "keys" | "clock">;

/**
 * Makes a key and stores its hash. The key's text is in this answer and nowhere else.
 * @throws AppError FORBIDDEN without the admin scope, BAD_REQUEST when it would have expired already.
 */
export async function createKey(
  { keys, clock }: Uses,
  caller: Caller,
  { name, teamId, expiresAtMs, scopes, limits, monthlyCredits, maxConcurrency }: NewKey,
): Promise<{ text: string; key: ApiKey }> {
  requireAdmin(caller.key);
  const nowMs = clock.now();
  if (expiresAtMs !== undefined && expiresAtMs <= nowMs) {
    throw new AppError("BAD_REQUEST", "expiresAt must lie in the future");
  }
  const text = `fc-${toHex(crypto.getRandomValues(new Uint8Array(16)))}`;
  const key: ApiKey = {
    id: uuidv7(),
    teamId: teamId ?? caller.key.teamId,
    name,
    prefix: keyPrefix(text),
    scopes,
    limits,
    monthlyCredits,
    maxConcurrency,
    createdAtMs: nowMs,
    expiresAtMs,
    revokedAtMs: undefined,
  };
  await keys.insert(key, await sha256Hex(text));
  return { text, key };
}

/** Every key of the deployment, newest first, the revoked ones too. @throws AppError FORBIDDEN without the admin scope. */
export async function listKeys({ keys }: Pick<Deps, "keys">, caller: Caller): Promise<ApiKey[]> {
  requireAdmin(caller.key);
  return await keys.list();
}

/**
 * Ends a key with its jobs and its browser sessions: at once where it was not used lately, elsewhere when the isolates' copies are over (`KeyCache`).
 * @throws AppError FORBIDDEN without the admin scope, KEY_NOT_FOUND for an id that no key has.
 */
export async function revokeKey(deps: Uses & StopDeps, caller: Caller, id: string): Promise<StoppedWork> {
  requireAdmin(caller.key);
  if (!(await deps.keys.revoke(id, deps.clock.now()))) throw new AppError("KEY_NOT_FOUND");
  const key = await deps.keys.find(id);
  return key === undefined ? { jobs: 0, pagesInFlight: 0, sessions: 0 } : await stopKeyWork(deps, key);
}
