import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LINK_LOCAL_PROBE } from "../site/probe.ts";
import { inject } from "./inject.ts";
import { call, sitePage, type Answer } from "./client.ts";
import { startService, type TestService } from "./service.ts";

/** A service that may load the test site, and nothing else that is private; and that keeps nothing when asked to. */
let service: TestService;
beforeAll(async () => {
  const { host } = new URL(inject("siteUrl"));
  service = await startService({ settings: { ALLOW_PRIVATE_HOSTS: host, ZERO_DATA_RETENTION: "true" } });
});
afterAll(() => service.stop());

function scrape(url: string, options: object = {}): Promise<Answer> {
  return call("/v2/scrape", { body: { url, maxAge: 0, onlyMainContent: false, ...options }, service });
}

/** The port of a site that would answer, were it asked. */
const port = (): string => new URL(inject("otherSiteUrl")).port;

/** Requests so far that reached what nobody may reach. */
async function knocks(): Promise<number> {
  const response = await fetch(`${inject("siteUrl")}/__hits`);
  const counts = (await response.json()) as Record<string, number>;
  const paths = Object.keys(counts).filter((path) => path.startsWith("/private-target"));
  return paths.reduce((sum, path) => sum + (counts[path] ?? 0), 0);
}

/** Other spellings of addresses that lead to this machine or this network. */
const SPELLINGS: [spelling: string, url: () => string][] = [
  ["dotted", () => `http://127.0.0.1:${port()}/private-target`],
  ["decimal", () => `http://2130706433:${port()}/private-target`],
  ["octal", () => `http://0177.0.0.01:${port()}/private-target`],
  ["hexadecimal", () => `http://0x7f000001:${port()}/private-target`],
  ["mixed", () => `http://0x7f.0.0x0.1:${port()}/private-target`],
  ["short", () => `http://127.1:${port()}/private-target`],
  ["full-width digits", () => `http://１２７.０.０.１:${port()}/private-target`],
  ["without a scheme", () => `127.0.0.1:${port()}/private-target`],
  ["another of 127.0.0.0/8", () => `http://127.8.9.10:${port()}/private-target`],
  ["all zeros", () => `http://0.0.0.0:${port()}/private-target`],
  ["one zero", () => `http://0:${port()}/private-target`],
  ["IPv6 loopback", () => `http://[::1]:${port()}/private-target`],
  ["IPv6 unspecified", () => `http://[::]:${port()}/private-target`],
  ["IPv4 mapped into IPv6", () => `http://[::ffff:127.0.0.1]:${port()}/private-target`],
  ["IPv4 mapped into IPv6, hexadecimal", () => `http://[::ffff:7f00:1]:${port()}/private-target`],
  ["IPv4 compatible with IPv6", () => `http://[::127.0.0.1]:${port()}/private-target`],
  ["NAT64", () => `http://[64:ff9b::7f00:1]:${port()}/private-target`],
  ["6to4", () => `http://[2002:7f00:1::]:${port()}/private-target`],
  ["IPv6 link-local", () => "http://[fe80::1]/"],
  ["IPv6 unique local", () => "http://[fd00::1]/"],
  ["cloud metadata", () => LINK_LOCAL_PROBE],
  ["cloud metadata, decimal", () => LINK_LOCAL_PROBE.replace("169.254.169.254", "2852039166")],
  ["10.0.0.0/8", () => "http://10.1.2.3/"],
  ["172.16.0.0/12", () => "http://172.31.255.1/"],
  ["192.168.0.0/16", () => "http://192.168.1.1/"],
  ["100.64.0.0/10", () => "http://100.64.0.1/"],
  ["multicast", () => "http://224.0.0.1/"],
  ["broadcast", () => "http://255.255.255.255/"],
  ["documentation", () => "http://192.0.2.1/"],
  ["a name below localhost", () => `http://site.localhost:${port()}/private-target`],
  ["a name in .local", () => "http://printer.local/"],
  ["a name in .internal", () => "http://metadata.google.internal/"],
  ["a name in .lan", () => "http://router.lan/"],
  ["with a name and a password", () => `http://user:pass@127.0.0.1:${port()}/private-target`],
];

describe("private addresses", () => {
  test.each(SPELLINGS)("are not loaded: %s", async (_spelling, url) => {
    const before = await knocks();
    const { status, body } = await scrape(url());
    expect({ status, success: body.success, code: body.code }).toEqual({
      status: 403,
      success: false,
      code: "SAFE_MODE_BLOCKED",
    });
    expect(await knocks()).toBe(before);
  });

  test.each(["localhost", "localhost.", "LOCALHOST"])("%s is no name of a site", async (name) => {
    const { status, body } = await scrape(`http://${name}:${port()}/private-target`);
    expect(body.success).toBe(false);
    expect([400, 403]).toContain(status);
  });

  test("are not loaded in a browser either", async () => {
    const { status, body } = await scrape(`http://127.0.0.1:${port()}/private-target`, { formats: ["screenshot"] });
    expect({ status, code: body.code }).toEqual({ status: 403, code: "SAFE_MODE_BLOCKED" });
  });

  test.each([
    ["without a browser", {}],
    ["in a browser", { waitFor: 1 }],
  ])("are not reached by a redirect, %s", async (_how, options) => {
    const before = await knocks();
    const { status, body } = await scrape(sitePage("/redirect-other?to=/private-target"), options);
    expect({ status, code: body.code }).toEqual({ status: 403, code: "SAFE_MODE_BLOCKED" });
    expect(await knocks()).toBe(before);
  });

  test("are not reached by a page's scripts, and the answer says which they asked for", async () => {
    const before = await knocks();
    const { status, body } = await scrape(sitePage("/app/private-fetch"), { waitFor: 1000 });
    expect(status).toBe(200);
    expect(body.data.warning).toContain(`127.0.0.1:${port()}`);
    expect(await knocks()).toBe(before);
  });

  test("of the service itself are not loaded", async () => {
    const { status, body } = await scrape(`${service.url}/health`);
    expect({ status, code: body.code }).toEqual({ status: 403, code: "SAFE_MODE_BLOCKED" });
  });

  test("that were opened are loaded", async () => {
    const { status, body } = await scrape(sitePage("/final"));
    expect(status).toBe(200);
    expect(body.data.markdown).toContain("You have arrived");
  });
});

describe("zero data retention, where it is switched on", () => {
  const zero = { zeroDataRetention: true };

  test("keeps neither the result nor the page, and costs a credit more", async () => {
    const page = sitePage(`/counter?key=${crypto.randomUUID()}`);
    const { body } = await scrape(page, { ...zero, maxAge: 60_000 });
    expect(body.data).toMatchObject({ markdown: expect.stringContaining("**1** times"), metadata: { creditsUsed: 2 } });
    const kept = await call(`/v2/scrape/${body.data.metadata.scrapeId}`, { service });
    expect({ status: kept.status, error: kept.body.error }).toEqual({ status: 404, error: "Job not found." });
    const again = await scrape(page, { maxAge: 60_000 });
    expect(again.body.data).toMatchObject({
      markdown: expect.stringContaining("**2** times"),
      metadata: { cacheState: "miss" },
    });
  });

  test.each([
    { what: "a screenshot", options: { formats: ["screenshot"] } },
    { what: "a PDF", options: { actions: [{ type: "pdf" }] } },
  ])("rules out $what, which would be kept", async ({ options }) => {
    const { status, body } = await scrape(sitePage("/final"), { ...zero, ...options });
    expect({ status, code: body.code }).toEqual({ status: 500, code: "SCRAPE_ZDR_VIOLATION_ERROR" });
  });
});
