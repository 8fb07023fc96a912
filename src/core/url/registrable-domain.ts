import { getDomain } from "tldts";

/**
 * Returns the registrable domain of a host name by the public suffix list: `example.co.uk` of `a.example.co.uk`.
 * Names below a provider's suffix, such as `name.github.io`, belong to different owners and count as different domains.
 * @returns undefined for IP addresses, public suffixes themselves and names that the list does not cover.
 */
export function registrableDomain(hostname: string): string | undefined {
  return getDomain(hostname, { allowPrivateDomains: true, validateHostname: false }) ?? undefined;
}

/** Returns the host name without a leading `www.`, which sites treat as the same host. */
export function withoutWww(hostname: string): string {
  return hostname.startsWith("www.") && hostname.length > 4 ? hostname.slice(4) : hostname;
}

/** Reports whether two hosts are equal, ignoring `www.` but not the port. Takes `host` of `URL`. */
export function isSameHost(left: string, right: string): boolean {
  return left === right || withoutWww(left) === withoutWww(right);
}

/** Reports whether two URLs' hosts share a registrable domain; IP addresses must be equal. */
export function isSameSite(left: URL, right: URL): boolean {
  if (isSameHost(left.host, right.host)) return true;
  const domain = registrableDomain(left.hostname);
  return domain !== undefined && domain === registrableDomain(right.hostname);
}
