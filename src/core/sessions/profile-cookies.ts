import { registrableDomain } from "../url/registrable-domain.ts";
import type { ProfileCookie, ProfileState } from "./profile.ts";

/** Characters that a header value may contain; `fetch` refuses others. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Returns the cookies that a browser sends with a top-level request, those with longer paths first (RFC 6265 § 5.4).
 * Partitioned cookies are sent only where their site is the site of the page.
 * @param nowMs ms since the epoch
 */
export function cookiesFor(cookies: readonly ProfileCookie[], url: string, nowMs: number): ProfileCookie[] {
  const target = new URL(url);
  return cookies
    .filter((cookie) => belongsTo(cookie, target) && !hasExpired(cookie, nowMs))
    .filter(({ name, value }) => HEADER_VALUE.test(`${name}=${value}`))
    .toSorted((one, other) => other.path.length - one.path.length);
}

/**
 * Relation of a profile to a URL: `usable`, `expired` when all that the profile has for it are cookies that have
 * expired, `sibling` when the profile has nothing for it, but for another host of its site, to which it may redirect,
 * `foreign` when the profile has nothing for its site.
 */
export type ProfileFit = "usable" | "expired" | "sibling" | "foreign";

export function profileFit({ cookies, origins }: ProfileState, url: string, nowMs: number): ProfileFit {
  const target = new URL(url);
  if (origins.some(({ origin }) => origin === target.origin)) return "usable";
  const own = cookies.filter((cookie) => matchesDomain(cookie.domain, target.hostname));
  if (own.length === 0) return profileSites({ cookies, origins }).has(siteOf(target)) ? "sibling" : "foreign";
  return own.every((cookie) => hasExpired(cookie, nowMs)) ? "expired" : "usable";
}

/** Returns the sites that a profile has cookies or storage for. */
export function profileSites({ cookies, origins }: Pick<ProfileState, "cookies" | "origins">): ReadonlySet<string> {
  const hosts = new Set([
    ...cookies.map(({ domain }) => domain.toLowerCase().replace(/^\./, "")),
    ...origins.flatMap(({ origin }) => URL.parse(origin)?.hostname ?? []),
  ]);
  return new Set([...hosts].map((hostname) => siteOf({ hostname })));
}

/** Returns the registrable domain of a host; its name where it has none, as IP addresses. */
export function siteOf({ hostname }: Pick<URL, "hostname">): string {
  return registrableDomain(hostname) ?? hostname;
}

function hasExpired({ expires }: ProfileCookie, nowMs: number): boolean {
  return expires !== undefined && expires * 1000 <= nowMs;
}

function belongsTo({ domain, path, secure, partitionKey }: ProfileCookie, target: URL): boolean {
  if (secure && target.protocol !== "https:") return false;
  if (!matchesDomain(domain, target.hostname) || !matchesPath(path, target.pathname)) return false;
  return partitionKey === undefined || isPartitionOf(partitionKey, target.hostname);
}

/** Domain match (RFC 6265 § 5.1.3). A domain without a leading dot is that of one host alone. */
function matchesDomain(domain: string, hostname: string): boolean {
  if (!domain.startsWith(".")) return domain.toLowerCase() === hostname;
  const suffix = domain.toLowerCase();
  return hostname === suffix.slice(1) || hostname.endsWith(suffix);
}

/** Path match (RFC 6265 § 5.1.4). */
function matchesPath(path: string, pathname: string): boolean {
  if (path === pathname) return true;
  return pathname.startsWith(path) && (path.endsWith("/") || pathname[path.length] === "/");
}

/** @param key a site such as `https://example.com`, as text or as the `topLevelSite` of an object. */
function isPartitionOf(key: unknown, hostname: string): boolean {
  const site = typeof key === "object" && key !== null && "topLevelSite" in key ? key.topLevelSite : key;
  const host = typeof site === "string" ? URL.parse(site)?.hostname : undefined;
  return host !== undefined && (hostname === host || hostname.endsWith(`.${host}`));
}
