import type { ApiKey } from "../../core/account/api-key.ts";
import type { Deps } from "../deps.ts";
import { bootstrapId, bootstrapKeyFor } from "./bootstrap-keys.ts";

type Uses = Pick<Deps, "keys" | "clock" | "settings">;

/**
 * Reports whether a key was revoked, has expired or has left the settings since its work began. Keys without a row, such
 * as that of callers without authentication, are valid as long as the settings admit them.
 */
export async function isKeyOver(deps: Uses, { id }: Pick<ApiKey, "id">): Promise<boolean> {
  const found = await deps.keys.findById(id);
  return found !== undefined && (await hasEnded(deps, found));
}

/** Returns the key with this ID while it is valid. */
export async function validKey(deps: Uses, id: string): Promise<ApiKey | undefined> {
  const found = await deps.keys.findById(id);
  return found === undefined || (await hasEnded(deps, found)) ? undefined : found.key;
}

/** Bootstrap keys are valid while the settings contain them. */
async function hasEnded(
  { clock, settings }: Uses,
  { key, keyHash }: { key: ApiKey; keyHash: string },
): Promise<boolean> {
  if (key.revokedAtMs !== undefined || (key.expiresAtMs ?? Infinity) <= clock.now()) return true;
  return key.id === bootstrapId(keyHash) && (await bootstrapKeyFor(settings, keyHash)) === undefined;
}
