import { hasCheckDigits, normaliseKey, type ApiKey } from "../../core/account/api-key.ts";
import { AppError } from "../../core/errors.ts";
import { sha256Hex } from "../../core/text/hash.ts";
import { bootstrapId, bootstrapKeyFor, toBootstrapRow, type BootstrapKey } from "./bootstrap-keys.ts";
import type { Caller, Deps } from "../deps.ts";
import { KeyCache } from "./key-cache.ts";
import { UnknownKeys } from "./unknown-keys.ts";

type Uses = Pick<Deps, "keys" | "clock" | "settings">;

/** Known and unknown keys of an isolate, shared by its requests and sockets. */
export interface KnownKeys {
  cache: KeyCache;
  unknownKeys: UnknownKeys;
}

export function newKnownKeys(): KnownKeys {
  return { cache: new KeyCache(), unknownKeys: new UnknownKeys() };
}

/** Origin of a token, beside its text. */
export interface TokenSource {
  /** Address of the client, where the platform names it. */
  address?: string | undefined;
  unknownKeys: UnknownKeys;
}

/**
 * Finds the key of a token. A text without check digits costs no look-up when keys of earlier versions are not accepted,
 * and an address that has sent many unknown keys has none looked up for a while.
 * @throws AppError TOKEN_INVALID for text that is no key, and for an unknown, revoked or expired key, without the
 * reason; RATE_LIMITED for an address that has sent many unknown keys.
 */
export async function authenticate(deps: Uses, cache: KeyCache, token: string, source?: TokenSource): Promise<Caller> {
  const text = normaliseKey(token);
  if (text === undefined) throw new AppError("TOKEN_INVALID");
  const keyHash = await sha256Hex(text);
  const nowMs = deps.clock.now();
  const mayBeStored = deps.settings.acceptsOldKeys || hasCheckDigits(text);
  const key = await cachedKey(deps, cache, { keyHash, nowMs, mayBeStored, source });
  if (key === undefined || !isUsable(key, nowMs)) throw new AppError("TOKEN_INVALID");
  return { key };
}

async function cachedKey(
  deps: Uses,
  cache: KeyCache,
  { keyHash, nowMs, mayBeStored, source }: LookUp,
): Promise<ApiKey | undefined> {
  const known = cache.read(keyHash, nowMs);
  if (known !== undefined) return known.key;
  const bootstrap = await bootstrapKeyFor(deps.settings, keyHash);
  if (bootstrap === undefined && !mayBeStored) return undefined;
  const isTrusted = bootstrap !== undefined || cache.wasValid(keyHash);
  const retryAfterSeconds = isTrusted ? 0 : (source?.unknownKeys.waitSeconds(source.address, nowMs) ?? 0);
  if (retryAfterSeconds > 0) {
    throw new AppError("RATE_LIMITED", "This address has sent too many unknown keys", { retryAfterSeconds });
  }
  const key = await findKey(deps, { keyHash, nowMs, bootstrap });
  if (key === undefined) source?.unknownKeys.note(source.address, keyHash, nowMs);
  cache.write(keyHash, key, nowMs);
  return key;
}

interface LookUp {
  keyHash: string;
  nowMs: number;
  /** False for a text that no key of the database has. */
  mayBeStored: boolean;
  source: TokenSource | undefined;
}

/** Finds a key. A bootstrap key gets its row when it is first used, and is valid while the settings contain it. */
async function findKey(
  { keys }: Uses,
  { keyHash, nowMs, bootstrap }: Pick<LookUp, "keyHash" | "nowMs"> & { bootstrap: BootstrapKey | undefined },
): Promise<ApiKey | undefined> {
  const stored = await keys.findByHash(keyHash);
  if (bootstrap === undefined) return stored?.id === bootstrapId(keyHash) ? undefined : stored;
  if (stored !== undefined) return { ...stored, scopes: bootstrap.scopes };
  const row = toBootstrapRow(bootstrap, keyHash, nowMs);
  await keys.insert(row, keyHash);
  return row;
}

function isUsable(key: ApiKey, nowMs: number): boolean {
  if (key.revokedAtMs !== undefined) return false;
  return key.expiresAtMs === undefined || nowMs < key.expiresAtMs;
}
