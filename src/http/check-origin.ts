import { AppError } from "../core/errors.ts";
import type { ServiceSettings } from "../services/deps.ts";

/** Names of the local machine, which need not be listed. */
const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** A name or an address, and a port: without a user or a path, which the address of the request would contain. */
const HOST = /^(?:\[[\da-f:.]+\]|[^\s@/?#\\:[\]%]+)(?::\d{1,5})?$/i;

export type OriginSettings = Pick<ServiceSettings, "allowedHosts" | "allowedOrigins" | "authDisabled">;

/**
 * Refuses requests under a host name that is not the service's own, such as those of a page whose name resolves to this
 * machine (DNS rebinding); and, without authentication, requests from other origins' pages.
 * @returns the error HOST_NOT_ALLOWED or ORIGIN_NOT_ALLOWED; undefined for an allowed request
 */
export function checkOrigin(request: Request, settings: OriginSettings): AppError | undefined {
  const { host, hostname, username, password } = new URL(request.url);
  const { allowedHosts, authDisabled } = settings;
  if (`${username}${password}` !== "" || !HOST.test(request.headers.get("host") ?? host)) {
    return new AppError("HOST_NOT_ALLOWED", "The Host header is not a valid host");
  }
  const isOwnHost = allowedHosts.length === 0 || LOOPBACK.has(hostname) || [host, hostname].some((name) => allowedHosts.includes(name)); // prettier-ignore
  if (!isOwnHost) {
    return new AppError("HOST_NOT_ALLOWED", `Requests for the host ${hostname} are refused. Add it to ALLOWED_HOSTS.`); // prettier-ignore
  }
  const origin = request.headers.get("origin");
  if (!authDisabled || origin === null || isAllowedOrigin(origin, request, settings)) return undefined;
  return new AppError("ORIGIN_NOT_ALLOWED");
}

/**
 * Returns the value of `Access-Control-Allow-Origin`: with authentication `*`, since every request needs a key, which a
 * page has only from its user; without it, the origins in the settings.
 */
export function allowedOrigin(origin: string, request: Request, settings: OriginSettings): string | null {
  if (!settings.authDisabled) return "*";
  return isAllowedOrigin(origin, request, settings) ? origin : null;
}

/** Accepts the service's own pages, and the origins in the settings. */
function isAllowedOrigin(origin: string, request: Request, { allowedOrigins }: OriginSettings): boolean {
  const { host } = new URL(request.url);
  return [`http://${host}`, `https://${host}`, ...allowedOrigins].includes(origin.toLowerCase());
}
