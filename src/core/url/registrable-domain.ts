import { getDomain } from "tldts";

/**
 * The part of a host name that one owner registers, by the public suffix list: `example.co.uk` of `a.example.co.uk`.
 * Names below a provider's suffix, such as `name.github.io`, belong to different owners and are told apart.
 * @returns undefined for addresses, public suffixes themselves and names that the list says nothing about.
 */
export function registrableDomain(hostname: string): string | undefined {
  return getDomain(hostname, { allowPrivateDomains: true, validateHostname: false }) ?? undefined;
}

/** Host name without a leading `www.`, which sites treat as the same place. */
export function withoutWww(hostname: string): string {
  return hostname.startsWith("www.") && hostname.length > 4 ? hostname.slice(4) : hostname;
}

/** True when two hosts are the same place: with or without `www.`, on the same port. Takes `host` of `URL`. */
export function isSameHost(left: string, right: string): boolean {
  return left === right || withoutWww(left) === withoutWww(right);
}

/** True when two URLs' hosts belong to one registrable domain; two addresses only if they are the same. */
export function isSameSite(left: URL, right: URL): boolean {
  if (isSameHost(left.host, right.host)) return true;
  const domain = registrableDomain(left.hostname);
  return domain !== undefined && domain === registrableDomain(right.hostname);
}
