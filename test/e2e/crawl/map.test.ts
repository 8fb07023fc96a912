import { Firecrawl, FirecrawlAppV1, SdkError } from "firecrawl";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSite, type Site } from "../../site/start-site.ts";
import { inject } from "../inject.ts";
import { call, hits } from "../client.ts";
import { hostileSite, listSite, type MapSite } from "./map-sites.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

let client: Firecrawl;
let site: string;
beforeAll(() => {
  client = new Firecrawl({ apiKey: inject("apiKey"), apiUrl: inject("serviceUrl") });
  site = inject("siteUrl");
});

interface MapBody {
  success: boolean;
  id: string;
  links: { url: string; title?: string; description?: string }[];
  warning?: string;
  error?: string;
  code?: string;
}

/** What the route itself answers. */
async function map(body: object, version: "v1" | "v2" = "v2"): Promise<{ status: number; body: MapBody }> {
  const { status, text } = await call(`/${version}/map`, { body });
  return { status, body: JSON.parse(text) as MapBody };
}

async function mapped(options: object = {}): Promise<MapBody> {
  const { status, body } = await map({ url: site, ...options });
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body;
}

const urls = ({ links }: MapBody): string[] => links.map(({ url }) => url);

describe("the JavaScript SDK", () => {
  test("maps a site from its sitemaps and the links of its start page, the root without its slash", async () => {
    const { links } = await client.map(site);
    const found = links.map(({ url }) => url);
    expect(found[0]).toBe(site);
    expect(found).toContain(`${site}/sitemap-only`);
    expect(found).toContain(`${site}/tree/1999`);
    expect(found).toContain(`${site}/images`);
    expect(new Set(found).size).toBe(found.length);
    expect(found.every((url) => url.startsWith(site))).toBe(true);
    expect(links[0]?.title).toContain("Harrow Bay");
  });

  test("maps to a limit, exactly", async () => {
    expect((await client.map(site, { limit: 7 })).links).toHaveLength(7);
    expect((await client.map(site, { sitemap: "only", limit: 10 })).links).toHaveLength(10);
  });

  test("maps from sitemaps only, or without them", async () => {
    const only = (await client.map(site, { sitemap: "only" })).links.map(({ url }) => url);
    expect(only).toContain(`${site}/sitemap-only`);
    expect(only).not.toContain(`${site}/images`);
    const skip = (await client.map(site, { sitemap: "skip", limit: 300 })).links.map(({ url }) => url);
    expect(skip).not.toContain(`${site}/sitemap-only`);
    expect(skip).toContain(`${site}/images`);
  });

  test("is told when the time is over", async () => {
    const error: unknown = await client.map(site, { timeout: 1 }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(SdkError);
    expect(error).toMatchObject({ status: 408, code: "MAP_TIMEOUT" });
    expect((error as SdkError).message).toContain("The map operation timed out");
  });

  test("puts the best matches of a search first and leaves nothing out", async () => {
    const { links } = await client.map(site, { search: "seagrass meadow", limit: 20 });
    expect(links).toHaveLength(20);
    expect(links[0]?.url).toBe(`${site}/articles/seagrass`);
  });

  test("of version 1 gets strings", async () => {
    const v1 = new FirecrawlAppV1({ apiKey: inject("apiKey"), apiUrl: inject("serviceUrl") });
    const answer = await v1.mapUrl(site, { limit: 12, sitemapOnly: true });
    expect(answer).toMatchObject({ success: true });
    const { links = [] } = answer as { links?: unknown[] };
    expect(links).toHaveLength(12);
    expect(links.every((link) => typeof link === "string" && link.startsWith(site))).toBe(true);
    const skipped = await v1.mapUrl(site, { ignoreSitemap: true, limit: 200 });
    expect((skipped as { links?: string[] }).links).not.toContain(`${site}/sitemap-only`);
  });
});

describe("an option", () => {
  test("filterByPath keeps to the folder that was given, unless it is off", async () => {
    const docs = urls(await mapped({ url: `${site}/docs/` }));
    expect(docs).toContain(`${site}/docs/install`);
    expect(docs.every((url) => url.startsWith(`${site}/docs`))).toBe(true);
    expect(urls(await mapped({ url: `${site}/docs/`, filterByPath: false }))).toContain(`${site}/shop`);
    expect(urls(await mapped({ url: `${site}/docs/`, crawlEntireDomain: true }))).toContain(`${site}/shop`);
  });

  test("ignoreQueryParameters takes them off, and only then", async () => {
    const options = { url: `${site}/shop`, sitemap: "skip", limit: 500 };
    expect(urls(await mapped(options)).some((url) => url.includes("?"))).toBe(false);
    expect(urls(await mapped({ ...options, ignoreQueryParameters: false })).some((url) => url.includes("?"))).toBe(
      true,
    );
  });

  test("includePaths and excludePaths choose", async () => {
    const found = urls(await mapped({ includePaths: ["^/articles/"], excludePaths: ["ferry"] }));
    expect(found).toContain(`${site}/articles/seagrass`);
    expect(found.filter((url) => !url.includes("/articles/") || url.includes("ferry"))).toEqual([]);
    const { status, body } = await map({ url: site, includePaths: ["("] });
    expect(status).toBe(400);
    expect(body.error).toContain("missing closing )");
  });

  test("allowExternalLinks lists links that lead away, and loads none of them", async () => {
    const lists = await listSite(`<a href="${site}/never-asked-for">Elsewhere</a>`);
    try {
      const away = async (options: object) => {
        const found = urls(await mapped({ url: lists.url, maxDiscoveryDepth: 1, ...options }));
        return found.filter((url) => !url.startsWith(lists.url));
      };
      expect(await away({})).toEqual([]);
      expect(await away({ allowExternalLinks: true })).toEqual([`${site}/never-asked-for`]);
      expect(await hits("/never-asked-for")).toBe(0);
    } finally {
      await lists.close();
    }
  });

  test("maxDiscoveryDepth bounds how far pages are followed", async () => {
    expect(urls(await mapped({ sitemap: "skip", maxDiscoveryDepth: 0, useIndex: false }))).toEqual([site]);
    const near = urls(await mapped({ sitemap: "skip", maxDiscoveryDepth: 1 }));
    const far = urls(await mapped({ sitemap: "skip" }));
    expect(near.length).toBeGreaterThan(5);
    expect(far.length).toBeGreaterThan(near.length);
  });

  test("headers and location.languages reach the site", async () => {
    await mapped({
      url: `${site}/languages`,
      sitemap: "skip",
      headers: { "x-map": "yes" },
      location: { languages: ["de"] },
    });
    const seen: unknown = await (await fetch(`${site}/__requests?path=/languages`)).json();
    expect(seen).toMatchObject({ headers: { "x-map": "yes", "accept-language": "de" } });
  });

  test("useIndex lists what was scraped before, with its title, and ignoreCache does not", async () => {
    const page = `${site}/noscript?key=${crypto.randomUUID()}`;
    await client.scrape(page, { maxAge: 0 });
    const options = { sitemap: "skip", maxDiscoveryDepth: 0, ignoreQueryParameters: false };
    const { links } = await mapped(options);
    expect(links.find(({ url }) => url === page)?.title).toMatch(/\w/);
    expect(urls(await mapped({ ...options, useIndex: false }))).not.toContain(page);
    expect(urls(await mapped({ ...options, ignoreCache: true }))).not.toContain(page);
  });

  test("without an effect is named in a warning", async () => {
    const { warning } = await mapped({ useMock: "x", limit: 2, location: { country: "DE" } });
    expect(warning).toContain("useMock");
    expect(warning).toContain("location.country");
  });

  test.each([
    { why: "no url", body: {} },
    { why: "a limit over the maximum", body: { limit: 100_001 } },
    { why: "a limit of none", body: { limit: 0 } },
    { why: "an unknown option", body: { wat: 1 } },
    { why: "an unknown sitemap mode", body: { sitemap: "maybe" } },
  ])("is refused for $why", async ({ why, body }) => {
    const { status } = await map(why === "no url" ? body : { url: site, ...body });
    expect(status).toBe(400);
  });
});

describe("a site", () => {
  let owned: MapSite | Site | undefined;
  afterAll(async () => owned?.close());
  const own = async <S extends MapSite | Site>(starting: Promise<S>): Promise<S> => {
    await owned?.close();
    const started = await starting;
    owned = started;
    return started;
  };

  test("that redirects is listed where it leads", async () => {
    const found = urls(await mapped({ url: `${site}/redirect-other`, filterByPath: false, limit: 50 }));
    expect(found.length).toBeGreaterThan(1);
    expect(found.every((url) => url.startsWith(inject("otherSiteUrl")))).toBe(true);
  });

  test("with one page says where more may be found", async () => {
    const { links, warning } = await mapped({ url: `${site}/plain.txt`, sitemap: "skip", useIndex: false });
    expect(links.length).toBeLessThanOrEqual(1);
    expect(warning).toContain("Only");
    expect(warning).toContain("result(s) found");
    expect(warning).toContain("base domain");
  });

  test("without a sitemap and with 50 lists of 20 items is found whole", async () => {
    const { url, asked } = await own(listSite());
    const found = urls(await mapped({ url }));
    expect(found.filter((each) => each.includes("/item/"))).toHaveLength(1000);
    expect(asked.length).toBeLessThan(300);
  });

  test("with a broken sitemap is listed as far as it can be read", async () => {
    const { url } = await own(startSite({ sitemap: "broken", robots: "missing" }));
    const found = urls(await mapped({ url, sitemap: "only", ignoreQueryParameters: false }));
    expect(found.toSorted()).toEqual([
      url,
      `${url}/articles/seagrass`,
      `${url}/lists`,
      `${url}/shop?page=2&all=1`,
      `${url}/tables`,
    ]);
  });

  test("whose robots.txt forbids everything is not looked through", async () => {
    const guarded = await own(startSite({ sitemap: "missing", robots: "disallow-all" }));
    const { url } = guarded;
    const found = urls(await mapped({ url }));
    expect(found).toContain(`${url}/articles/`);
    expect(guarded.hits("/articles/")).toBe(0);
    await mapped({ url, ignoreRobotsTxt: true });
    expect(guarded.hits("/articles/")).toBe(1);
  });

  test(
    "with endless sitemaps and an endless calendar comes to an end",
    { timeout: 60_000, tags: ["long"] },
    async () => {
      const { url, asked } = await own(hostileSite());
      const found = urls(await mapped({ url, ignoreQueryParameters: false, limit: 100_000 }));
      expect(found).toContain(`${url}/found`);
      expect(asked.filter((path) => path.includes(".xml")).length).toBeLessThanOrEqual(25);
      expect(asked.length).toBeLessThan(320);
    },
  );

  test("that cannot be reached is an error that says so", async () => {
    const gone = await listSite();
    await gone.close();
    const { status, body } = await map({ url: gone.url });
    expect(status).toBe(500);
    expect(body).toMatchObject({ success: false, code: "MAP_FAILED" });
    expect((await map({ url: inject("serviceUrl") })).body.code).toBe("SAFE_MODE_BLOCKED");
  });
});

test("an answer carries its id", async () => {
  expect((await mapped({ limit: 1 })).id).toMatch(UUID);
});
