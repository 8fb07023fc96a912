import type { ApiKey } from "../../core/account/api-key.ts";
import type { Deps } from "../deps.ts";

/**
 * Reports whether a key was revoked or has expired since its work began. Keys without a row, such as that of callers
 * without authentication, are valid as long as the settings admit them.
 */
export async function isKeyOver(
  { keys, clock }: Pick<Deps, "keys" | "clock">,
  { id }: Pick<ApiKey, "id">,
): Promise<boolean> {
  const key = await keys.findById(id);
  if (key === undefined) return false;
  return key.revokedAtMs !== undefined || (key.expiresAtMs ?? Infinity) <= clock.now();
}
