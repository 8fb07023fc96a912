import { describe, expect, test } from "vitest";
import type { ApiKey } from "../../../../src/core/account/api-key.ts";
import { Meter } from "../../../../src/core/account/meter.ts";
import { ownerOf } from "../../../../src/core/fair-order.ts";
import { HeldBytes } from "../../../../src/core/waits/held-bytes.ts";
import { createPlainFetchEngine } from "../../../../src/engines/plain-fetch.ts";
import type { Engine, PageRequest } from "../../../../src/engines/engine.ts";
import type { Http } from "../../../../src/ports/outbound/http.ts";
import type { Deps } from "../../../../src/services/deps.ts";
import { mapSite, type MapRequest } from "../../../../src/services/map/map-site.ts";
import { memoryKeyLedger } from "../../../fakes/memory/memory-key-ledger.ts";
import { memoryScrapes } from "../../../fakes/memory/memory-scrapes.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";
import { scriptedHttp, type ScriptedResponse } from "../../../fakes/upstream/scripted-http.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";
import { writeDown } from "../../../fakes/write-down.ts";
import { shortAndLong } from "../../../sample.ts";

const KEY = { id: "k", teamId: "t", scopes: { admin: false }, limits: {}, monthlyCredits: 10 } as unknown as ApiKey;

const REQUEST: MapRequest = {
  url: "https://example.com",
  sitemap: "include",
  limit: 100,
  filterByPath: true,
  useIndex: true,
  headers: {},
  languages: [],
  includeSubdomains: true,
  scope: { ignoreQueryParameters: true },
  ignoreRobotsTxt: false,
  delayMs: 0,
  warnings: [],
};

interface Given extends Pick<
  Deps,
  "engines" | "settings" | "clientLeft" | "memory" | "http" | "clock" | "hostThrottle"
> {
  /** True when pauses take their time. */
  isTimed: boolean;
  slow: boolean;
  scrapes: ReturnType<typeof memoryScrapes>;
}

/** Maps a web that lives in a table, as a caller who has paid for it. */
async function map(
  pages: Record<string, ScriptedResponse>,
  request: Partial<MapRequest> = {},
  { slow = false, isTimed = false, scrapes = memoryScrapes(), ...given }: Partial<Given> = {},
) {
  const clock = fixedClock();
  const meter = new Meter();
  const keyLedger = memoryKeyLedger(clock, meter);
  const deferred: Promise<unknown>[] = [];
  const slept: number[] = [];
  const http = scriptedHttp(pages);
  const deps = testDeps({
    clock,
    meter,
    keyLedger,
    engines: [createPlainFetchEngine(http, { userAgent: "Orbweaver test", maxBodyBytes: 1_000_000 })],
    http: slow ? { request: () => new Promise(() => undefined) } : http,
    scrapes,
    sleep: async (ms) => {
      if (isTimed && ms <= 60_000) return void (clock.advance(ms), slept.push(ms));
      if (!slow) await new Promise(() => undefined);
    },
    defer: (work) => void deferred.push(work),
    ...given,
  });
  await keyLedger.admit("k", { mode: "map", limit: 10, credits: 1, monthlyCredits: 10, holdId: "h" });
  const outcome = await mapSite(
    deps,
    { key: KEY, creditSource: { kind: "hold", holdId: "h" } },
    { ...REQUEST, ...request },
  ).then(
    (answer) => ({ urls: answer.links.map(({ url }) => url), warning: answer.warning, error: undefined }),
    (error: unknown) => ({ urls: [], warning: undefined, error }),
  );
  await Promise.all(deferred);
  await writeDown(deps, { keyId: "k", holdId: "h" });
  const asked = http.seen.map(({ url }) => url);
  return { ...outcome, asked, slept, requests: http.seen, creditsUsed: (await keyLedger.usage("k")).creditsUsed };
}

const links = (...hrefs: string[]): string => hrefs.map((href) => `<a href="${href}">x</a>`).join("");

describe("a map", () => {
  const host = (): string => `${crypto.randomUUID()}.example`;

  test("waits its delay before each sitemap", async () => {
    const name = host();
    const pages = {
      [`https://${name}/`]: links("/a"),
      [`https://${name}/robots.txt`]: "Sitemap: /one.xml\nSitemap: /two.xml",
    };
    const request = { url: `https://${name}`, delayMs: 1_000, limit: 3 };
    const { asked, slept } = await map(pages, request, { isTimed: true });
    expect(asked.filter((url) => url.endsWith(".xml"))).toHaveLength(3);
    expect(slept.slice(0, 3)).toEqual([1_000, 1_000, 1_000]);
  });

  test("has subdomains, or none", async () => {
    const name = host();
    const pages = {
      [`https://${name}/`]: links("/a", `https://blog.${name}/b`, `https://www.${name}/c`, "https://other.net/d"),
    };
    const url = `https://${name}`;
    expect((await map(pages, { url })).urls).toEqual([
      url,
      `${url}/a`,
      `https://blog.${name}/b`,
      `https://www.${name}/c`,
    ]);
    expect((await map(pages, { url, includeSubdomains: false })).urls).toEqual([
      url,
      `${url}/a`,
      `https://www.${name}/c`,
    ]);
  });

  test("of a page that moved to another domain is that domain's", async () => {
    const [from, to] = [host(), host()];
    const pages = {
      [`https://${from}/`]: { url: `https://${to}/en/`, redirects: 1, body: links("/en/a", `https://${from}/old`) },
      [`https://${to}/sitemap.xml`]: `<urlset><url><loc>https://${to}/b</loc></url></urlset>`,
    };
    expect((await map(pages, { url: `https://${from}` })).urls.toSorted()).toEqual(
      [`https://${to}/en/`, `https://${to}/en/a`, `https://${to}/b`].toSorted(),
    );
  });

  test("of a page that moved to another domain sends that domain none of the caller's secrets", async () => {
    const [from, to] = [host(), host()];
    const pages = { [`https://${from}/`]: { url: `https://${to}/`, redirects: 1, body: links("/a") } };
    const headers = { Authorization: "Bearer secret" };
    const { requests } = await map(pages, { url: `https://${from}`, headers });
    const informed = requests.filter(({ headers: sent = {} }) => "Authorization" in sent).map(({ url }) => url);
    expect(requests.map(({ url }) => url)).toContain(`https://${to}/a`);
    expect(informed).toEqual([`https://${from}/`]);
  });

  test("sends the caller's secrets to the origin of its start page alone", async () => {
    const name = host();
    const site = `https://${name}`;
    const others = [`http://${name}/a`, `https://${name}:8443/b`, `https://users.${name}/c`];
    const pages = { [`${site}/`]: links("/own", ...others) };
    const headers = { Authorization: "Bearer secret", "Accept-Language": "de" };
    const { requests } = await map(pages, { url: site, headers, sitemap: "skip" });
    const sent = new Map(requests.map((request) => [request.url, request.headers ?? {}]));
    for (const url of [`${site}/`, `${site}/own`]) expect(sent.get(url)).toMatchObject(headers);
    for (const url of others) {
      expect(sent.get(url)).toMatchObject({ "Accept-Language": "de" });
      expect(sent.get(url)).not.toHaveProperty("Authorization");
    }
  });

  test("sends the caller's secrets to the start page with www., and not to one without HTTPS", async () => {
    const name = host();
    const headers = { Authorization: "Bearer secret" };
    for (const to of [`https://www.${name}/`, `http://${name}/`]) {
      const pages = { [`https://${name}/`]: { url: to, redirects: 1, body: links("/a") } };
      const { requests } = await map(pages, { url: `https://${name}`, headers, sitemap: "skip" });
      const sent = requests.find(({ url }) => url === `${to}a`)?.headers ?? {};
      expect("Authorization" in sent).toBe(to.startsWith("https:"));
    }
  });

  test("renders its start page by the rules of the routes, in the turn of its key, until the client leaves", async () => {
    const name = host();
    const rendered: PageRequest[] = [];
    const engine = (route: string | undefined): Engine => ({
      engine: "browser",
      provides: new Set(),
      ...(route === undefined ? {} : { route: { name: route, endpoints: 1 } }),
      async load(request) {
        rendered.push(request);
        return { kind: "failed", code: "SCRAPE_SITE_ERROR", message: route ?? "directly" };
      },
    });
    const egress = {
      routes: { relay: { kind: "service" as const, url: "https://relay.example/" } },
      enhanced: [],
      rules: [{ hosts: ["*.example"], route: "relay" }],
    };
    const clientLeft = new AbortController().signal;
    const { settings } = testDeps({ settings: { egress } });
    const { warning } = await map(
      { [`https://${name}/`]: "<p>x" },
      { url: `https://${name}` },
      { engines: [engine(undefined), engine("relay")], settings, clientLeft },
    );
    expect(warning).toContain("could not be rendered: relay");
    expect(rendered.length).toBeGreaterThan(0);
    for (const { owner, waitLimit } of rendered) {
      expect(owner).toEqual(ownerOf(KEY));
      expect(waitLimit?.left).toBe(clientLeft);
    }
  });

  test("of one page on a subdomain names the base domain, and of a base domain nothing", async () => {
    const name = host();
    const pages = { [`https://docs.${name}/`]: "<p>x", [`https://${name}/`]: "<p>x" };
    const { urls, warning } = await map(pages, { url: `https://docs.${name}/` });
    expect(urls).toEqual([`https://docs.${name}`]);
    expect(warning).toMatch(/Only 1 result\(s\) found.*base domain.*/);
    expect(warning).toContain(`https://${name},`);
    expect((await map(pages, { url: `https://${name}/` })).warning).toBeUndefined();
  });

  test("costs its credit, and nothing when the site cannot be reached", async () => {
    const name = host();
    const found = await map({ [`https://${name}/`]: "<p>x" }, { url: `https://${name}` });
    expect(found.creditsUsed).toBe(1);
    const failed = await map({ [`https://${name}/`]: { failed: "SCRAPE_SITE_ERROR" } }, { url: `https://${name}` });
    expect(failed.error).toMatchObject({ code: "MAP_FAILED" });
    expect(failed.creditsUsed).toBe(0);
  });

  test("says so when its one page cannot be rendered, or what was scraped before cannot be read", async () => {
    const name = host();
    const scrapes = memoryScrapes();
    scrapes.pagesOf = () => Promise.reject(new Error("D1 is down"));
    let loads = 0;
    const pages = {
      get [`https://${name}/`](): ScriptedResponse {
        return loads++ === 0 ? "<p>x" : { failed: "SCRAPE_SSL_ERROR" };
      },
    };
    const { urls, warning } = await map(pages, { url: `https://${name}/` }, { scrapes });
    expect(urls).toEqual([`https://${name}`]);
    expect(warning).toContain("could not be rendered");
    expect(warning).toContain("Pages that were scraped before could not be listed.");
  });

  test("that takes too long is no map, and costs nothing", async () => {
    const { error, creditsUsed } = await map({}, { url: `https://${host()}`, timeoutMs: 5 }, { slow: true });
    expect(error).toMatchObject({
      code: "MAP_TIMEOUT",
      message: "The map operation timed out after 5 ms. Raise timeout, or map a part of the site.",
    });
    expect(creditsUsed).toBe(0);
  });

  test("that takes the longest time is not told to take more", async () => {
    const { error } = await map({}, { url: `https://${host()}`, timeoutMs: 200_000 }, { slow: true });
    expect(error).toMatchObject({ message: "The map operation timed out after 120000 ms. Map a part of the site." });
  });

  test("lists what robots.txt forbids and does not load it", async () => {
    const name = host();
    const pages = {
      [`https://${name}/robots.txt`]: "User-agent: *\nDisallow: /private",
      [`https://${name}/`]: links("/private/a", "/open"),
      [`https://${name}/open`]: links("/deeper"),
    };
    const { urls, asked } = await map(pages, { url: `https://${name}` });
    expect(urls).toEqual([
      `https://${name}`,
      `https://${name}/private/a`,
      `https://${name}/open`,
      `https://${name}/deeper`,
    ]);
    expect(asked).toContain(`https://${name}/open`);
    expect(asked).not.toContain(`https://${name}/private/a`);
  });

  test("says which named sitemaps it could not read, also where others were read", async () => {
    const url = `https://${host()}`;
    const pages = {
      [`${url}/`]: links("/a", "/b"),
      [`${url}/robots.txt`]: { type: "text/plain", body: `Sitemap: ${url}/old.xml\nSitemap: ${url}/new.xml` },
      [`${url}/new.xml`]: `<urlset><url><loc>${url}/c</loc></url></urlset>`,
    };
    const { urls, warning } = await map(pages, { url });
    expect(urls).toHaveLength(4);
    expect(warning).toBe(`${url}/old.xml: the site answers 404.`);
    expect((await map(pages, { url, limit: 2 })).urls).toHaveLength(2);
  });

  test("says how many sitemaps it could not read beside the first three, and how many the limits left out", async () => {
    const url = `https://${host()}`;
    const body = Array.from({ length: 45 }, (_, at) => `Sitemap: ${url}/${at}.xml`).join("\n");
    const pages = { [`${url}/`]: links("/a", "/b"), [`${url}/robots.txt`]: { type: "text/plain", body } };
    const problems = [0, 1, 2].map((at) => `${url}/${at}.xml: the site answers 404`).join("; ");
    const counts =
      "37 more sitemap(s) could not be read completely; 5 further sitemap(s) were not read, because of the limits.";
    expect((await map(pages, { url })).warning).toBe(`${problems}; ${counts}`);
  });

  test("of a site whose start page is gone comes from its sitemap, with a word about it", async () => {
    const name = host();
    const sitemap = `<urlset><url><loc>https://${name}/a</loc></url><url><loc>https://${name}/b</loc></url></urlset>`;
    const pages = { [`https://${name}/`]: { status: 404 }, [`https://${name}/sitemap.xml`]: sitemap };
    const { urls, warning } = await map(pages, { url: `https://${name}` });
    expect(urls).toEqual([`https://${name}/a`, `https://${name}/b`]);
    expect(warning).toBe("The start page could not be read: the site answers 404.");
  });
});

for (const { tags, entries } of shortAndLong(
  [
    { what: "a sitemap", request: { sitemap: "only" as const } },
    { what: "a sitemap, ranked", request: { sitemap: "only" as const, search: "page" } },
    { what: "links", request: { sitemap: "skip" as const, maxDiscoveryDepth: 1 } },
  ],
  ({ what }) => what !== "a sitemap",
))
  test.each(entries)(
    "a map of thousands of pages from $what lets other requests run meanwhile",
    { tags },
    async ({ request }) => {
      const hrefs = Array.from({ length: 20_000 }, (_, index) => `https://long.example/page/${index}`);
      const pages = {
        "https://long.example/": links(...hrefs),
        "https://long.example/sitemap.xml": `<urlset>${hrefs.map((url) => `<url><loc>${url}</loc></url>`).join("")}</urlset>`,
      };
      let turns = 0;
      const others = setInterval(() => turns++, 0);
      const { urls } = await map(pages, { url: "https://long.example", limit: 30_000, ...request });
      clearInterval(others);
      expect(urls.length).toBeGreaterThanOrEqual(20_000);
      expect(turns).toBeGreaterThanOrEqual(20);
    },
  );

describe("a map with patterns that take long for each page", () => {
  const hrefs = Array.from({ length: 60 }, (_, index) => `https://slow.example/${index}/${"x".repeat(1_900)}`);
  const pages = {
    "https://slow.example/": links(...hrefs),
    "https://slow.example/sitemap.xml": `<urlset>${hrefs.map((url) => `<url><loc>${url}</loc></url>`).join("")}</urlset>`,
  };
  const scope = { includePaths: ["x{900}"] };

  test.each([
    { what: "a sitemap", request: { sitemap: "only" as const } },
    { what: "links", request: { sitemap: "skip" as const, maxDiscoveryDepth: 1 } },
  ])("lets other requests run between the pages of $what", async ({ request }) => {
    let turns = 0;
    const others = setInterval(() => turns++, 0);
    const { urls } = await map(pages, { url: "https://slow.example", scope, ...request });
    clearInterval(others);
    expect(urls).toEqual(hrefs);
    expect(turns).toBeGreaterThanOrEqual(30);
  });
});

test("maps that wait for slow sitemaps hold no more than the memory of a team together, and each is complete", async () => {
  const PAGES = 400;
  const url = (page: number): string => `https://large.example/${page}/`.padEnd(1_000, "x");
  const many = `<urlset>${Array.from({ length: PAGES }, (_, page) => `<url><loc>${url(page)}</loc></url>`).join("")}</urlset>`;
  const memory = new HeldBytes({ ofTeam: 2_000_000, inAll: 4_000_000 });
  const { promise: goesOn, resolve: goOn } = Promise.withResolvers<void>();
  const answered = scriptedHttp({ "https://large.example/sitemap.xml": many, "https://large.example/slow.xml": many });
  const http: Http = {
    async request(request) {
      if (request.url.endsWith("slow.xml")) await goesOn;
      return await answered.request(request);
    },
  };
  const robots = { "https://large.example/robots.txt": "Sitemap: https://large.example/sitemap.xml\nSitemap: https://large.example/slow.xml" }; // prettier-ignore
  const given = { memory, clock: { now: () => Date.now() }, http: { request: (asked) => (asked.url in robots ? scriptedHttp(robots).request(asked) : http.request(asked)) } as Http }; // prettier-ignore
  const maps = Array.from({ length: 10 }, () => map({}, { url: "https://large.example", limit: 10_000, sitemap: "only" }, given)); // prettier-ignore
  let most = 0;
  const watch = setInterval(() => (most = Math.max(most, memory.bytesOf("t"))), 1);
  await expect.poll(() => memory.bytesOf("t")).toBeGreaterThan(1_500_000);
  goOn();
  const found = await Promise.all(maps);
  clearInterval(watch);
  expect(found.map(({ urls }) => urls.length)).toEqual(found.map(() => PAGES));
  // The earliest one has some 2 MB beside what there is room for.
  expect(most).toBeLessThan(4_500_000);
  expect(memory.bytesOf("t")).toBe(0);
});

test("a page that was not requested is not reported as a failure of its host", async () => {
  const reported = async (page: ScriptedResponse): Promise<unknown[]> => {
    const reports: unknown[] = [];
    const hostThrottle = {
      reserve: async () => [0],
      report: async (_host: string, report: object) => void reports.push(report),
    };
    const url = `https://${crypto.randomUUID()}.example`;
    await map({ [`${url}/`]: links("/a"), [`${url}/a`]: page }, { url }, { hostThrottle });
    return reports;
  };
  expect(await reported({ failed: "SCRAPE_TIMEOUT" })).toMatchObject([{ failed: true }]);
  expect(await reported({ failed: "SCRAPE_TIMEOUT", isUnsent: true })).toEqual([]);
});
