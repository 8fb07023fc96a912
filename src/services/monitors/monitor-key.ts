import type { ApiKey } from "../../core/account/api-key.ts";
import type { Monitor } from "../../core/monitors/monitor.ts";
import { anonymousCaller } from "../account/anonymous-caller.ts";
import type { Deps } from "../deps.ts";

/** @returns the key that pays for a monitor's checks; undefined when it is no longer valid. */
export async function monitorKey(
  { keys, clock, settings }: Pick<Deps, "keys" | "clock" | "settings">,
  { keyId }: Monitor,
): Promise<ApiKey | undefined> {
  const anonymous = anonymousCaller().key;
  if (settings.authDisabled && anonymous.id === keyId) return anonymous;
  const key = await keys.findById(keyId);
  if (key === undefined || key.revokedAtMs !== undefined) return undefined;
  return (key.expiresAtMs ?? Infinity) > clock.now() ? key : undefined;
}
