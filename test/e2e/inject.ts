import { inject as injectAll } from "vitest";
import type { Lane } from "./global-setup.ts";

/**
 * Reads what the global setup provides to this lane: its service, its keys and its site. Test files run in as many lanes
 * as `E2E_LANES` says, and a lane runs one file at a time, so that files do not disturb each other's service.
 */
export function inject<Name extends keyof Lane>(name: Name): Lane[Name] {
  const lanes = injectAll("lanes");
  const lane = lanes[(Number(process.env["VITEST_POOL_ID"]) - 1) % lanes.length];
  if (lane === undefined) throw new Error("The global setup has provided no service");
  return lane[name];
}
