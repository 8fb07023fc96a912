import ipaddr from "ipaddr.js";

/** Who may be called: hosts that are opened for development, and the service's own hosts, which never are. */
export interface OutboundPolicy {
  /** Host names or addresses that may be private (`ALLOW_PRIVATE_HOSTS`); with `:port`, on that port only. */
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
  if (isOpenedHost(parsed, policy)) return undefined;
  const hostname = bareHostname(parsed);
  if (hostname === "" || isLocalName(hostname)) return { reason: `The host ${hostname} is private` };
  if (isPrivateAddress(hostname)) return { reason: `The address ${hostname} is private or reserved` };
  return undefined;
}

/** True for textual IPv4 and IPv6 addresses that are not `isPublicAddress`; false for names. */
export function isPrivateAddress(host: string): boolean {
  return ipaddr.isValid(host) && !isPublicAddress(host);
}

/**
 * True for textual addresses of global unicast alone: no private, reserved, documentation, benchmark, translation or
 * tunnel address (IANA's registries of special-purpose addresses, RFC 6890), no unallocated IPv6 space (only 2000::/3 is
 * global unicast, RFC 4291 § 2.4), and no address by which a cloud serves its own machines. False for anything else.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  return address instanceof ipaddr.IPv4 ? isPublicIpv4(address) : isPublicIpv6(address);
}

/** True for a host that is opened for development and tests, on every port or on the URL's. */
export function isOpenedHost(url: URL, policy: Pick<OutboundPolicy, "allowPrivateHosts">): boolean {
  return policy.allowPrivateHosts.includes(bareHostname(url)) || policy.allowPrivateHosts.includes(hostWithPort(url));
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

/** `host:port` with the port that the scheme implies where none is written. */
export function hostWithPort(url: URL): string {
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  return `${bareHostname(url)}:${port}`;
}

function isLocalName(hostname: string): boolean {
  if (ipaddr.isValid(hostname)) return false;
  return !hostname.includes(".") || LOCAL_SUFFIXES.some((suffix) => hostname.endsWith(suffix));
}

/** Azure's address for DNS, DHCP and the machine's own settings, from public space. */
const AZURE_HOST = ipaddr.IPv4.parse("168.63.129.16");
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse("2000::"), 3];

function isPublicIpv4(address: ipaddr.IPv4): boolean {
  return address.range() === "unicast" && !address.match(AZURE_HOST, 32);
}

function isPublicIpv6(address: ipaddr.IPv6): boolean {
  return address.range() === "unicast" && address.match(GLOBAL_UNICAST) && !embedsPrivateIpv4(address);
}

/** ISATAP (RFC 5214 § 6.1) keeps an IPv4 address in the interface's half of an ordinary prefix. */
function embedsPrivateIpv4({ parts }: ipaddr.IPv6): boolean {
  const [, , , , marks = 0, protocol, high = 0, low = 0] = parts;
  const isIsatap = (marks & ~0x0200) === 0 && protocol === 0x5efe;
  return isIsatap && !isPublicIpv4(new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff]));
}
