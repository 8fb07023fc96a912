import type { Monitor } from "../../core/monitors/monitor.ts";
import type { Deps } from "../deps.ts";
import { profilesReadOnce } from "../sessions/scrape-profile.ts";

/**
 * Returns the dependencies for a monitor's work: the service's own hosts are as unreachable as for the request that
 * created the monitor. Each profile is read once.
 */
export function monitorDeps({ settings, ...ports }: Deps, { config }: Monitor): Deps {
  const profiles = profilesReadOnce(ports.profiles);
  return {
    ...ports,
    profiles,
    settings: { ...settings, ownHosts: [...settings.ownHosts, ...(config.ownHosts ?? [])] },
  };
}
