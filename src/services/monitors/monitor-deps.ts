import type { Monitor } from "../../core/monitors/monitor.ts";
import type { Deps } from "../deps.ts";

/** What works for a monitor: it reaches the service itself no more than the request that made it could. */
export function monitorDeps({ settings, ...ports }: Deps, { config }: Monitor): Deps {
  return { ...ports, settings: { ...settings, ownHosts: [...settings.ownHosts, ...(config.ownHosts ?? [])] } };
}
