import ipaddr from "ipaddr.js";

/** Exceptions of the outbound policy: private hosts that are allowed, and the service's own hosts, always refused. */
export interface OutboundPolicy {
  /** Host names or addresses that may be private (`ALLOW_PRIVATE_HOSTS`); with `:port`, on that port only. */
  allowPrivateHosts: readonly string[];
  /** `host:port` of the service itself: a page load must not request the service. */
  ownHosts: readonly string[];
}

/** Reason that a URL may not be loaded, as text for the caller. */
export interface Refusal {
  reason: string;
}

/** Ends the reasons of refusals for private hosts. */
export const PRIVATE_HOST_HINT = "; private hosts that may be loaded are named in ALLOW_PRIVATE_HOSTS";

const LOCAL_SUFFIXES = [".localhost", ".local", ".internal", ".lan", ".home.arpa", ".intranet"];

/**
 * Checks a URL by its text alone: scheme, credentials, and private addresses or names.
 * The WHATWG parser has already converted decimal, octal, hexadecimal and shortened IPv4 notations to dotted ones,
 * so one check of the parsed host name covers every notation.
 * @returns undefined when the text of the URL gives no reason to refuse it.
 */
export function refuseUrl(url: string, policy: OutboundPolicy): Refusal | undefined {
  const parsed = URL.parse(url);
  if (parsed === null) return { reason: "Invalid URL" };
  if (parsed.protocol !== "http:" && parsed.protocol !== "https:") {
    return { reason: `URL uses unsupported protocol ${parsed.protocol}` };
  }
  if (parsed.username !== "" || parsed.password !== "") return { reason: "URLs with credentials are not allowed" };
  if (policy.ownHosts.includes(hostWithPort(parsed))) return { reason: "This service does not load its own pages" };
  if (isOpenedHost(parsed, policy)) return undefined;
  const hostname = bareHostname(parsed);
  if (hostname === "" || isLocalName(hostname))
    return { reason: `The host ${hostname} is private${PRIVATE_HOST_HINT}` };
  if (isPrivateAddress(hostname))
    return { reason: `The address ${hostname} is private or reserved${PRIVATE_HOST_HINT}` };
  return undefined;
}

/** Reports whether a host is a textual IPv4 or IPv6 address that is not public; false for names. */
export function isPrivateAddress(host: string): boolean {
  return ipaddr.isValid(host) && !isPublicAddress(host);
}

/**
 * True only for textual addresses of global unicast: no private, reserved, documentation, benchmark, translation or
 * tunnel address (IANA's registries of special-purpose addresses, RFC 6890), no unallocated IPv6 space (only 2000::/3 is
 * global unicast, RFC 4291 § 2.4), and no address by which a cloud serves its own machines. False for anything else.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  return address instanceof ipaddr.IPv4 ? isPublicIpv4(address) : isPublicIpv6(address);
}

/** Reports whether a host is allowed for development and tests, on every port or on the URL's. */
export function isOpenedHost(url: URL, policy: Pick<OutboundPolicy, "allowPrivateHosts">): boolean {
  return policy.allowPrivateHosts.includes(bareHostname(url)) || policy.allowPrivateHosts.includes(hostWithPort(url));
}

/** Returns the host name in lower case, without the brackets of IPv6 and without a trailing dot. */
export function bareHostname(url: URL): string {
  return url.hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "");
}

/** Reports whether a host is an IP literal, which needs no resolution. */
export function isIpAddress(host: string): boolean {
  return ipaddr.isValid(host);
}

/** Returns `host:port`, with the scheme's default port where none is written. */
export function hostWithPort(url: URL): string {
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  return `${bareHostname(url)}:${port}`;
}

function isLocalName(hostname: string): boolean {
  if (ipaddr.isValid(hostname)) return false;
  return !hostname.includes(".") || LOCAL_SUFFIXES.some((suffix) => hostname.endsWith(suffix));
}

/** Azure's address for DNS, DHCP and instance metadata, from public address space. */
const AZURE_HOST = ipaddr.IPv4.parse("168.63.129.16");
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse("2000::"), 3];

function isPublicIpv4(address: ipaddr.IPv4): boolean {
  return address.range() === "unicast" && !address.match(AZURE_HOST, 32);
}

function isPublicIpv6(address: ipaddr.IPv6): boolean {
  return address.range() === "unicast" && address.match(GLOBAL_UNICAST) && !embedsPrivateIpv4(address);
}

/** Reports whether an ISATAP address (RFC 5214 § 6.1) embeds a private IPv4 address in its interface identifier. */
function embedsPrivateIpv4({ parts }: ipaddr.IPv6): boolean {
  const [, , , , marks = 0, protocol, high = 0, low = 0] = parts;
  const isIsatap = (marks & ~0x0200) === 0 && protocol === 0x5efe;
  return isIsatap && !isPublicIpv4(new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff]));
}
