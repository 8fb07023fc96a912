import ipaddr from "ipaddr.js";

/** Who may be called: hosts that are opened for development, and the service's own hosts, which never are. */
export interface OutboundPolicy {
  /** Host names or addresses that may be private (`ALLOW_PRIVATE_HOSTS`); with `:port`, an address on that port only. */
  allowPrivateHosts: readonly string[];
  /** `host:port` of the service itself: a page load must not call the service. */
  ownHosts: readonly string[];
}

/** Why a URL may not be loaded, in words for the caller. */
export interface Refusal {
  reason: string;
}

const LOCAL_SUFFIXES = [".localhost", ".local", ".internal", ".lan", ".home.arpa", ".intranet"];

/**
 * Refuses a URL by its text alone: scheme, credentials, and addresses or names that lead to private places.
 * The WHATWG parser has already turned decimal, octal, hexadecimal and shortened IPv4 notations into dotted ones,
 * so one look at the parsed host name covers every notation.
 * @returns undefined when the URL may be loaded as far as its text tells.
 */
export function refuseUrl(url: string, policy: OutboundPolicy): Refusal | undefined {
  const parsed = URL.parse(url);
  if (parsed === null) return { reason: "Invalid URL" };
  if (parsed.protocol !== "http:" && parsed.protocol !== "https:") {
    return { reason: `URL uses unsupported protocol ${parsed.protocol}` };
  }
  if (parsed.username !== "" || parsed.password !== "") return { reason: "URLs with credentials are not allowed" };
  if (policy.ownHosts.includes(hostWithPort(parsed))) return { reason: "This service does not load its own pages" };
  const hostname = bareHostname(parsed);
  if (isAllowedPrivateHost(hostname, policy) || policy.allowPrivateHosts.includes(hostWithPort(parsed)))
    return undefined;
  if (hostname === "" || isLocalName(hostname)) return { reason: `The host ${hostname} is private` };
  if (isPrivateAddress(hostname)) return { reason: `The address ${hostname} is private or reserved` };
  return undefined;
}

/** True for textual IPv4 and IPv6 addresses outside the public unicast space; false for names. */
export function isPrivateAddress(host: string): boolean {
  if (!ipaddr.isValid(host)) return false;
  const address = ipaddr.process(host);
  if (address.kind() === "ipv4") return address.range() !== "unicast";
  return address.range() !== "unicast" || embedsPrivateIpv4(address as ipaddr.IPv6);
}

/** True for a host that is opened for development and tests. */
export function isAllowedPrivateHost(hostname: string, policy: Pick<OutboundPolicy, "allowPrivateHosts">): boolean {
  return policy.allowPrivateHosts.includes(hostname);
}

/** Host name in lower case, without the brackets of IPv6 and without a trailing dot. */
export function bareHostname(url: URL): string {
  return url.hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "");
}

/** True for IP literals, which need no resolution. */
export function isIpAddress(host: string): boolean {
  return ipaddr.isValid(host);
}

function hostWithPort(url: URL): string {
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  return `${bareHostname(url)}:${port}`;
}

function isLocalName(hostname: string): boolean {
  if (ipaddr.isValid(hostname)) return false;
  return !hostname.includes(".") || LOCAL_SUFFIXES.some((suffix) => hostname.endsWith(suffix));
}

/** IPv4-compatible (`::a.b.c.d`, deprecated by RFC 4291 § 2.5.5.1) passes as unicast in ipaddr.js. */
function embedsPrivateIpv4(address: ipaddr.IPv6): boolean {
  return address.parts.slice(0, 6).every((part) => part === 0);
}
