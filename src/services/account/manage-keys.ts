import { v7 as uuidv7 } from "uuid";
import {
  KEY_BYTES,
  keyOf,
  keyPrefix,
  type ApiKey,
  type KeyLimits,
  type KeyScopes,
} from "../../core/account/api-key.ts";
import { AppError } from "../../core/errors.ts";
import { sha256Hex } from "../../core/text/hash.ts";
import { requireAdmin } from "./check-scope.ts";
import type { Caller, Deps } from "../deps.ts";
import { stopKeyWork, type StopDeps, type StoppedWork } from "./stop-key-work.ts";

export interface NewKey {
  name: string;
  /** Default: the creator's team. */
  teamId?: string | undefined;
  expiresAtMs?: number | undefined;
  scopes: KeyScopes;
  limits: KeyLimits;
  monthlyCredits?: number | undefined;
  maxConcurrency?: number | undefined;
}

type Uses = Pick<Deps, "keys" | "clock">;

/**
 * Creates a key and stores its hash. The key's text is in this response and nowhere else.
 * @throws AppError FORBIDDEN without the admin scope, BAD_REQUEST for an expiry in the past.
 */
export async function createKey(
  { keys, clock }: Uses,
  caller: Caller,
  { name, teamId, expiresAtMs, scopes, limits, monthlyCredits, maxConcurrency }: NewKey,
): Promise<{ text: string; key: ApiKey }> {
  requireAdmin(caller.key);
  const nowMs = clock.now();
  if (expiresAtMs !== undefined && expiresAtMs <= nowMs) {
    throw new AppError("BAD_REQUEST", "expiresAt must be in the future");
  }
  const text = keyOf(crypto.getRandomValues(new Uint8Array(KEY_BYTES)));
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

/**
 * Lists the keys of the deployment, newest first, including revoked ones.
 * @throws AppError FORBIDDEN without the admin scope.
 */
export async function listKeys({ keys }: Pick<Deps, "keys">, caller: Caller): Promise<ApiKey[]> {
  requireAdmin(caller.key);
  return await keys.listAll();
}

/**
 * Revokes a key and ends its jobs and browser sessions. An isolate that has cached the key refuses it when the entry
 * expires (`KeyCache`).
 * @throws AppError FORBIDDEN without the admin scope, KEY_NOT_FOUND for an id that no key has.
 */
export async function revokeKey(deps: Uses & StopDeps, caller: Caller, id: string): Promise<StoppedWork> {
  requireAdmin(caller.key);
  if (!(await deps.keys.revoke(id, deps.clock.now()))) throw new AppError("KEY_NOT_FOUND");
  const found = await deps.keys.findById(id);
  return found === undefined ? { jobs: 0, pagesInFlight: 0, sessions: 0 } : await stopKeyWork(deps, found.key);
}
