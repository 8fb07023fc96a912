import { expect, test } from "vitest";
import type { Discoveries, JobKind, JobSpecification, SitemapEntry } from "../../../../src/jobs/kind.ts";
import { enqueueSitemapUrls } from "../../../../src/services/crawl/enqueue-sitemap-urls.ts";
import type { HostFacts } from "../../../../src/services/scrape/host-facts.ts";
import { scriptedHttp } from "../../../fakes/upstream/scripted-http.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

const FILES = 12;
const URLS = 5_000;

/** Reads sitemaps of 60,000 URLs, whose pieces `hand` takes. */
async function enqueue(hand: (discoveries: Discoveries) => Promise<void>) {
  const names = Array.from({ length: FILES }, (_, at) => `https://example.com/${at}.xml`);
  const file = (name: string): string =>
    `<urlset>${Array.from({ length: URLS }, (_, at) => `<url><loc>${name}/${at}</loc></url>`).join("")}</urlset>`;
  const deps = testDeps({ http: scriptedHttp(Object.fromEntries(names.map((name) => [name, file(name)]))) });
  let [read, handed, most] = [0, 0, 0];
  const fromSitemap = async (urls: SitemapEntry[]) => {
    const candidates = urls.map(({ url }) => ({ key: url, url, depth: 0, isExternal: false }));
    return { candidates, filtered: [] };
  };
  const kind = { seed: () => ({ readsSitemaps: true, startUrl: "https://example.com/" }), fromSitemap };
  const context = {
    deps: {
      ...deps,
      textTasks: (owner: never) => {
        const run = deps.textTasks(owner);
        return async (...call: Parameters<typeof run>) => {
          const found = await run(...call);
          read += URLS;
          most = Math.max(most, read - handed);
          return found;
        };
      },
    },
    kind: kind as unknown as JobKind,
    specification: { input: {}, scrapeOptions: {}, key: { id: "key", teamId: "team" } } as unknown as JobSpecification,
    messageId: "message",
  };
  const hosts = { robotsOf: async () => ({ sitemaps: names }) } as unknown as HostFacts;
  const urls: string[] = [];
  await enqueueSitemapUrls(context as never, hosts, async (discoveries) => {
    await hand(discoveries);
    handed += discoveries.candidates.length;
    urls.push(...discoveries.candidates.map(({ url }) => url));
  });
  return { urls, most: () => most };
}

test("the URLs of sitemaps are each handed in once, and few of them wait for a slow frontier", async () => {
  const { urls, most } = await enqueue(async () => await new Promise((resolve) => setTimeout(resolve, 10)));
  expect(urls).toHaveLength(FILES * URLS);
  expect(new Set(urls).size).toBe(FILES * URLS);
  // Of five files that are read at once, and of the pieces that wait meanwhile.
  expect(most()).toBeLessThanOrEqual(5 * URLS + 6 * 2_000);
});

test("a frontier that fails ends the reading with its error", async () => {
  let pieces = 0;
  const failing = enqueue(async () => {
    pieces++;
    throw new Error("The frontier is away");
  });
  await expect(failing).rejects.toThrow("The frontier is away");
  expect(pieces).toBe(1);
});

test("says what it has not read, and that there is no sitemap where the crawl reads nothing else", async () => {
  const robotsOf = async () => ({ sitemaps: ["https://example.com/gone.xml"] });
  const problemsOf = async (seed: object, hosts: object) => {
    const kind = { seed: () => ({ startUrl: "https://example.com/", readsSitemaps: true, ...seed }) };
    const deps = testDeps({ http: scriptedHttp({}) });
    const specification = { input: {}, scrapeOptions: {}, key: { id: "key", teamId: "team" } };
    return await enqueueSitemapUrls({ deps, kind, specification } as never, hosts as never, async () => undefined);
  };
  const problem = "https://example.com/gone.xml: the site answers 404";
  expect(await problemsOf({}, { robotsOf })).toEqual({ lacksSitemap: true, sitemapProblems: [problem] });
  const many = (count: number) => Array.from({ length: count }, (_, at) => `https://example.com/${at}.xml`);
  const lastOf = async (count: number) => {
    const { sitemapProblems } = await problemsOf({}, { robotsOf: async () => ({ sitemaps: many(count) }) });
    return [sitemapProblems.length, sitemapProblems.at(-1)];
  };
  expect(await lastOf(3)).toEqual([3, "https://example.com/2.xml: the site answers 404"]);
  expect(await lastOf(7)).toEqual([4, "4 more sitemap(s) could not be read completely"]);
  expect(await lastOf(41)).toEqual([5, "1 further sitemap(s) were not read, because of the limits"]);
  const none = { robotsOf: async () => ({ sitemaps: [] }) };
  expect(await problemsOf({ readsLinks: true }, none)).toEqual({ lacksSitemap: true, sitemapProblems: [] });
  const alone = { lacksSitemap: true, sitemapProblems: ["no sitemap was found"] };
  expect(await problemsOf({ readsLinks: false }, none)).toEqual(alone);
});

test.each([
  {
    hasMoved: false,
    sent: { Authorization: "Bearer secret", "accept-language": "de" },
    elsewhere: { "accept-language": "de" },
  },
  { hasMoved: true, sent: { "accept-language": "de" }, elsewhere: { "accept-language": "de" } },
])(
  "requests sitemaps with the headers and the profile of the pages (moved: $hasMoved)",
  async ({ hasMoved, ...expected }) => {
    const http = scriptedHttp({});
    const cookies = [{ name: "sid", value: "1", domain: "example.com" }];
    const profiles = { read: async () => ({ version: 1, cookies, origins: [] }) };
    const deps = testDeps({ http, profiles: profiles as never });
    const kind = { seed: () => ({ startUrl: "https://example.com/", readsSitemaps: true, hasMoved }) };
    const scrapeOptions = {
      headers: { Authorization: "Bearer secret" },
      location: { languages: ["de"] },
      profile: { name: "work" },
    };
    const specification = { input: {}, scrapeOptions, key: { id: "key", teamId: "team" } };
    const hosts = { robotsOf: async () => ({ sitemaps: ["https://example.com/a.xml", "https://other.net/a.xml"] }) };
    await enqueueSitemapUrls({ deps, kind, specification } as never, hosts as never, async () => undefined);
    const requestOf = (url: string) => http.seen.find((request) => request.url === url);
    const authorization = expected.sent.Authorization;
    expect(requestOf("https://example.com/a.xml")?.headers).toMatchObject(expected.sent);
    expect(requestOf("https://example.com/a.xml")?.headers?.["Authorization"]).toBe(authorization);
    expect(requestOf("https://other.net/a.xml")?.headers).toMatchObject(expected.elsewhere);
    expect(requestOf("https://other.net/a.xml")?.headers).not.toHaveProperty("Authorization");
    expect(requestOf("https://example.com/a.xml")?.cookies).toEqual(cookies);
  },
);
