import type { ApiKey } from "../../core/account/api-key.ts";
import type { Monitor } from "../../core/monitors/monitor.ts";
import { anonymousCaller } from "../account/anonymous-caller.ts";
import { validKey } from "../account/is-key-over.ts";
import type { Deps } from "../deps.ts";

/** @returns the key that pays for a monitor's checks; undefined when it is no longer valid. */
export async function monitorKey(
  deps: Pick<Deps, "keys" | "clock" | "settings">,
  { keyId }: Monitor,
): Promise<ApiKey | undefined> {
  const anonymous = anonymousCaller().key;
  if (deps.settings.authDisabled && anonymous.id === keyId) return anonymous;
  return await validKey(deps, keyId);
}
