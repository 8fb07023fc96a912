import type { Monitor } from "../../core/monitors/monitor.ts";
import type { Deps } from "../deps.ts";

/**
 * Returns the dependencies for a monitor's work: the service's own hosts are as unreachable as for the request that
 * created the monitor.
 */
export function monitorDeps({ settings, ...ports }: Deps, { config }: Monitor): Deps {
  return { ...ports, settings: { ...settings, ownHosts: [...settings.ownHosts, ...(config.ownHosts ?? [])] } };
}
