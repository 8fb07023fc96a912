import { describe, expect, test } from "vitest";
import { isPrivateAddress, refuseUrl } from "../../../../src/core/url/outbound-policy.ts";

const STRICT = { allowPrivateHosts: [], ownHosts: ["api.example.com:443"] };

describe("refuseUrl", () => {
  test.each([
    ["a public name", "https://example.com/path?q=1"],
    ["a public IPv4 address", "http://93.184.216.34/"],
    ["a public IPv6 address", "http://[2606:2800:220:1:248:1893:25c8:1946]/"],
    ["an unusual port", "http://example.com:8443/"],
    ["the service's host under another port", "https://api.example.com:8443/"],
  ])("lets %s pass", (_what, url) => {
    expect(refuseUrl(url, STRICT)).toBeUndefined();
  });

  test.each([
    ["loopback", "http://127.0.0.1/"],
    ["loopback in decimal", "http://2130706433/"],
    ["loopback in octal", "http://0177.0.0.1/"],
    ["loopback in hexadecimal", "http://0x7f000001/"],
    ["loopback, shortened", "http://127.1/"],
    ["loopback with full-width digits", "http://１２７.0.0.1/"],
    ["loopback in IPv6", "http://[::1]/"],
    ["IPv4-mapped loopback", "http://[::ffff:127.0.0.1]/"],
    ["IPv4-mapped loopback in hexadecimal", "http://[::ffff:7f00:1]/"],
    ["IPv4-compatible loopback", "http://[::127.0.0.1]/"],
    ["NAT64 of a private address", "http://[64:ff9b::10.0.0.1]/"],
    ["6to4", "http://[2002:7f00:1::]/"],
    ["any address", "http://0.0.0.0/"],
    ["zero network", "http://0.1.2.3/"],
    ["ten network", "http://10.1.2.3/"],
    ["172.16 network", "http://172.31.255.255/"],
    ["192.168 network", "http://192.168.1.1/"],
    ["link-local, where metadata services live", "http://169.254.169.254/latest/meta-data/"],
    ["carrier-grade NAT", "http://100.64.0.1/"],
    ["benchmark network", "http://198.18.0.1/"],
    ["multicast", "http://224.0.0.1/"],
    ["reserved", "http://240.0.0.1/"],
    ["broadcast", "http://255.255.255.255/"],
    ["unique local IPv6", "http://[fd00::1]/"],
    ["link-local IPv6", "http://[fe80::1]/"],
    ["localhost", "http://localhost/"],
    ["localhost with a trailing dot", "http://localhost./"],
    ["a name below localhost", "http://x.localhost/"],
    ["a single label", "http://intranet/"],
    ["an internal name", "http://metadata.google.internal/"],
    ["a local name", "http://printer.local/"],
    ["credentials", "http://user:secret@example.com/"],
    ["a file", "file:///etc/passwd"],
    ["another scheme", "gopher://example.com/"],
    ["the service itself", "https://api.example.com/v2/scrape"],
    ["the service itself with a trailing dot", "https://api.example.com./"],
    ["no URL", "not a url"],
  ])("refuses %s", (_what, url) => {
    expect(refuseUrl(url, STRICT)?.reason).toEqual(expect.any(String));
  });

  test("opens exactly the private hosts that are named", () => {
    const policy = { allowPrivateHosts: ["127.0.0.1", "localhost"], ownHosts: ["127.0.0.1:8787"] };
    expect(refuseUrl("http://127.0.0.1:9000/", policy)).toBeUndefined();
    expect(refuseUrl("http://localhost:9000/", policy)).toBeUndefined();
    expect(refuseUrl("http://127.0.0.2/", policy)).toBeDefined();
    expect(refuseUrl("http://127.0.0.1:8787/", policy)).toBeDefined();
    const onePort = { allowPrivateHosts: ["127.0.0.1:9000", "wiki.internal:80"], ownHosts: [] };
    expect(refuseUrl("http://127.0.0.1:9000/", onePort)).toBeUndefined();
    expect(refuseUrl("http://wiki.internal/", onePort)).toBeUndefined();
    expect(refuseUrl("http://127.0.0.1:9001/", onePort)).toBeDefined();
    expect(refuseUrl("https://wiki.internal/", onePort)).toBeDefined();
  });
});

test.each([
  ["8.8.8.8", false],
  ["10.0.0.1", true],
  ["::1", true],
  ["2001:4860:4860::8888", false],
  ["example.com", false],
  ["168.63.129.16", true],
  ["168.63.129.17", false],
  ["192.0.0.192", true],
  ["192.0.2.1", true],
  ["192.88.99.1", true],
  ["198.19.255.255", true],
  ["198.51.100.1", true],
  ["203.0.113.1", true],
  ["255.255.255.255", true],
  ["::ffff:8.8.8.8", false],
  ["::ffff:168.63.129.16", true],
  ["::ffff:0:10.0.0.1", true],
  ["::10.0.0.1", true],
  ["64:ff9b::10.0.0.1", true],
  ["64:ff9b::8.8.8.8", true],
  ["64:ff9b:1::10.0.0.1", true],
  ["2001:0:0a00:1::f5ff:fffe", true],
  ["2001:2::1", true],
  ["2001:10::1", true],
  ["2001:20::1", true],
  ["2001:db8::1", true],
  ["2002:0a00:0001::1", true],
  ["2002:0808:0808::1", true],
  ["2a00:1450::5efe:10.0.0.1", true],
  ["2a00:1450::200:5efe:8.8.8.8", false],
  ["3fff::1", true],
  ["4000::1", true],
  ["100::1", true],
  ["5f00::1", true],
  ["fec0::1", true],
  ["fd00:ec2::254", true],
  ["ff02::1", true],
])("isPrivateAddress(%s) is %s", (address, expected) => {
  expect(isPrivateAddress(address)).toBe(expected);
});
