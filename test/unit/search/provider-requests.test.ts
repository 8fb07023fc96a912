import { describe, expect, test } from "vitest";
import { NOW_MS, queryFor, recorded } from "../../contracts/search-provider.ts";
import { PROVIDER_CASES } from "../../fakes/upstream/provider-cases.ts";
import { fixedClock } from "../../fakes/fixed-clock.ts";
import { replyingHttp } from "../../fakes/upstream/replying-http.ts";
import { parseSearchQuery } from "../../../src/core/search/search-query.ts";
import { createDuckduckgo } from "../../../src/search/providers/web/duckduckgo.ts";
import { createGithub } from "../../../src/search/providers/github.ts";
import type { SearchPlace, SearchQuery } from "../../../src/search/provider.ts";

const DAY_MS = 86_400_000;
const RECENT = { fromMs: NOW_MS - DAY_MS, unit: "day" as const };
const LAST_HOUR = { fromMs: NOW_MS - 3_600_000, unit: "hour" as const };
const SPAN = { fromMs: Date.UTC(2025, 0, 1), toMs: Date.UTC(2025, 0, 31) };
const PLACE = { language: "de", country: "at", location: "Vienna", safe: true };

/** What a provider is sent for a query: address, headers and body as one text. */
async function sent(name: string, place: SearchPlace, fields: Partial<SearchQuery>): Promise<string> {
  const found = PROVIDER_CASES.find((one) => one.name === name && one.place === place);
  const http = replyingHttp(found?.normal ?? []);
  await found?.make(http).search(queryFor(place, fields));
  const [request] = http.seen;
  return `${decodeURIComponent(request?.url ?? "").replaceAll("+", " ")} ${JSON.stringify(request?.headers)} ${String(request?.body ?? "")}`;
}

describe("what providers are sent", () => {
  test.each<{ name: string; place: SearchPlace; fields: Partial<SearchQuery>; parts: string[] }>([
    {
      name: "brave",
      place: "web",
      fields: { ...PLACE, timeRange: RECENT, limit: 5 },
      parts: [
        "/res/v1/web/search?q=harbour bell",
        "count=5",
        "country=AT",
        "search_lang=de",
        "safesearch=strict",
        "freshness=pd",
        '"x-subscription-token":"secret-key"',
      ],
    },
    { name: "brave", place: "web", fields: { timeRange: SPAN }, parts: ["freshness=2025-01-01to2025-01-31"] },
    { name: "brave", place: "web", fields: { category: "pdf" }, parts: ["q=harbour bell filetype:pdf"] },
    {
      name: "brave",
      place: "web",
      fields: { category: "github", excludeDomains: ["a.example"] },
      parts: ["q=harbour bell (site:github.com) -site:a.example"],
    },
    {
      name: "brave",
      place: "web",
      fields: { includeDomains: ["a.example", "b.example"] },
      parts: ["q=harbour bell site:a.example OR site:b.example"],
    },
    {
      name: "serper",
      place: "news",
      fields: { ...PLACE, tbs: "qdr:d", timeRange: RECENT },
      parts: ["/news ", '"gl":"at"', '"hl":"de"', '"location":"Vienna"', '"tbs":"qdr:d"', '"x-api-key":"secret-key"'],
    },
    {
      name: "tavily",
      place: "web",
      fields: { ...PLACE, timeRange: RECENT, includeDomains: ["a.example"], limit: 50 },
      parts: [
        '"country":"austria"',
        '"time_range":"day"',
        '"include_domains":["a.example"]',
        '"max_results":20',
        "Bearer secret-key",
      ],
    },
    {
      name: "tavily",
      place: "news",
      fields: { timeRange: SPAN },
      parts: ['"topic":"news"', '"start_date":"2025-01-01"', '"end_date":"2025-01-31"'],
    },
    {
      name: "exa",
      place: "web",
      fields: { ...PLACE, timeRange: SPAN, category: "research", excludeDomains: ["a.example"] },
      parts: [
        '"category":"research paper"',
        '"userLocation":"AT"',
        '"startPublishedDate":"2025-01-01T00:00:00.000Z"',
        '"excludeDomains":["a.example"]',
      ],
    },
    {
      name: "searxng",
      place: "images",
      fields: { ...PLACE, timeRange: RECENT },
      parts: ["format=json", "categories=images", "language=de-AT", "safesearch=2", "time_range=day"],
    },
    { name: "searxng", place: "web", fields: { timeRange: LAST_HOUR }, parts: ["time_range=day"] },
    { name: "tavily", place: "web", fields: { timeRange: LAST_HOUR }, parts: ['"time_range":"day"'] },
    { name: "brave", place: "web", fields: { timeRange: LAST_HOUR }, parts: ["freshness=pd"] },
    { name: "duckduckgo", place: "web", fields: { timeRange: LAST_HOUR }, parts: ["df=d"] },
    {
      name: "wikipedia",
      place: "web",
      fields: { text: '"ship bell" -sea site:wikipedia.org' },
      parts: ["q=ship bell&", "limit=10", '"user-agent":"Test"'],
    },
    { name: "wikidata", place: "web", fields: { language: "de" }, parts: ["action=wbsearchentities", "language=de"] },
    {
      name: "github",
      place: "github",
      fields: { timeRange: SPAN },
      parts: ["q=harbour bell is:public pushed:>=2025-01-01 pushed:<=2025-01-31"],
    },
    {
      name: "github",
      place: "github",
      fields: { text: 'bell repo:harrow/secret is:private "a OR (b)"' },
      parts: ["q=bell repo harrow/secret is private a or b is:public&"],
    },
    {
      name: "arxiv",
      place: "research",
      fields: { text: 'the "harbour bell" echo' },
      parts: ['search_query=all:"harbour bell" AND all:echo'],
    },
    {
      name: "arxiv",
      place: "research",
      fields: { timeRange: SPAN },
      parts: ["submittedDate:[202501010000 TO 202501310000]"],
    },
    {
      name: "openalex",
      place: "research",
      fields: { timeRange: SPAN, language: "de" },
      parts: ["from_publication_date:2025-01-01,to_publication_date:2025-01-31,language:de"],
    },
    {
      name: "crossref",
      place: "research",
      fields: { timeRange: SPAN },
      parts: ["filter=from-pub-date:2025-01-01,until-pub-date:2025-01-31"],
    },
    {
      name: "pubmed",
      place: "research",
      fields: { timeRange: SPAN },
      parts: ["term=harbour bell", "datetype=pdat", "mindate=2025/01/01", "maxdate=2025/01/31"],
    },
    {
      name: "pubmed",
      place: "research",
      fields: { timeRange: { toMs: Date.UTC(1965, 0, 1) } },
      parts: ["mindate=1800/01/01", "maxdate=1965/01/01"],
    },
    {
      name: "tavily",
      place: "web",
      fields: {
        category: "research",
        includeDomains: ["nature.com", "a.example"],
        terms: parseSearchQuery("bell site:www.nature.com/articles site:arxiv.org"),
      },
      parts: ['"include_domains":["nature.com/articles"]'],
    },
    {
      name: "exa",
      place: "web",
      fields: { category: "developer", includeDomains: ["docs.github.com", "a.example"] },
      parts: ['"includeDomains":["docs.github.com"]'],
    },
    {
      name: "exa",
      place: "web",
      fields: { category: "gov", includeDomains: ["dip.bundestag.de", "a.example"] },
      parts: ['"includeDomains":["dip.bundestag.de"]'],
    },
    {
      name: "hacker-news",
      place: "web",
      fields: { timeRange: SPAN },
      parts: [
        "/api/v1/search?",
        `numericFilters=created_at_i>=${SPAN.fromMs / 1000},created_at_i<=${SPAN.toMs / 1000}`,
      ],
    },
    {
      name: "wikimedia-commons",
      place: "images",
      fields: {},
      parts: ["gsrsearch=filetype:bitmap|drawing harbour bell", "gsrnamespace=6"],
    },
    { name: "openverse", place: "images", fields: { safe: false }, parts: ["q=harbour bell", "mature=true"] },
    {
      name: "gdelt",
      place: "news",
      fields: { ...PLACE, timeRange: SPAN, includeDomains: ["a.example"] },
      parts: [
        "query=harbour bell sourcelang:german sourcecountry:AU domainis:a.example",
        "startdatetime=20250101000000",
        "enddatetime=20250131000000",
      ],
    },
    {
      name: "gdelt",
      place: "news",
      fields: { timeRange: { toMs: SPAN.toMs } },
      parts: ["startdatetime=20170101000000", "enddatetime=20250131000000"],
    },
    {
      name: "brave",
      place: "web",
      fields: { language: "ja", country: "jp", timeRange: { toMs: SPAN.toMs } },
      parts: ["country=JP", "search_lang=jp", "freshness=1970-01-01to2025-01-31"],
    },
    { name: "brave", place: "web", fields: { language: "zh", country: "tw" }, parts: ["search_lang=zh-hant"] },
    { name: "brave", place: "web", fields: { language: "pt", country: "br" }, parts: ["search_lang=pt-br"] },
    {
      name: "brave",
      place: "web",
      fields: { language: "pt", languageTag: "pt-pt", country: "br" },
      parts: ["country=BR", "search_lang=pt-pt"],
    },
    {
      name: "brave",
      place: "web",
      fields: { language: "zh", languageTag: "zh-hk" },
      parts: ["search_lang=zh-hant"],
    },
    {
      name: "brave",
      place: "web",
      fields: { language: "zh", languageTag: "zh-hant-tw" },
      parts: ["search_lang=zh-hant"],
    },
    {
      name: "brave",
      place: "web",
      fields: { language: "de", languageTag: "de-at" },
      parts: ["search_lang=de"],
    },
    { name: "tavily", place: "web", fields: { country: "cz" }, parts: ['"country":"czech republic"'] },
    {
      name: "duckduckgo",
      place: "web",
      fields: { ...PLACE, timeRange: RECENT },
      parts: ["/html/?q=harbour bell", "kl=at-de", "kp=1", "df=d"],
    },
  ])("$name for $place is sent $parts.0", async ({ name, place, fields, parts }) => {
    const text = await sent(name, place, fields);
    for (const part of parts) expect(text).toContain(part);
  });

  test.each(["tavily", "exa"])("%s is not asked when no site is in all lists of a query", async (name) => {
    const text = await sent(name, "web", { category: "developer", includeDomains: ["a.example"] });
    expect(text.trim()).toBe("undefined");
  });

  test.each<{ name: string; place: SearchPlace; fields: Partial<SearchQuery>; left: string[]; absent: string[] }>([
    {
      name: "brave",
      place: "web",
      fields: { language: "ga", country: "ie" },
      left: ["country", "lang"],
      absent: ["country=", "search_lang="],
    },
    { name: "brave", place: "images", fields: { timeRange: RECENT }, left: ["tbs"], absent: ["freshness="] },
    { name: "tavily", place: "web", fields: { country: "gl" }, left: ["country"], absent: ["country"] },
    { name: "tavily", place: "news", fields: { country: "at" }, left: ["country"], absent: ["country"] },
    { name: "gdelt", place: "news", fields: { country: "ax" }, left: ["country"], absent: ["sourcecountry"] },
    { name: "searxng", place: "web", fields: { timeRange: SPAN }, left: ["tbs"], absent: ["time_range"] },
    { name: "searxng", place: "web", fields: { timeRange: RECENT }, left: [], absent: [] },
    { name: "searxng", place: "web", fields: { timeRange: LAST_HOUR }, left: [], absent: [] },
    { name: "duckduckgo", place: "web", fields: { timeRange: { fromMs: 0 } }, left: ["tbs"], absent: ["df="] },
    { name: "exa", place: "web", fields: { timeRange: { newestFirst: true } }, left: ["tbs"], absent: [] },
    { name: "exa", place: "web", fields: { timeRange: SPAN }, left: [], absent: [] },
    { name: "openalex", place: "research", fields: { timeRange: { newestFirst: true } }, left: ["tbs"], absent: [] },
    { name: "crossref", place: "research", fields: { timeRange: { newestFirst: true } }, left: ["tbs"], absent: [] },
    { name: "github", place: "github", fields: { timeRange: { newestFirst: true } }, left: ["tbs"], absent: [] },
  ])("$name for $place leaves $left out of $fields", async ({ name, place, fields, left, absent }) => {
    const text = await sent(name, place, fields);
    for (const part of absent) expect(text).not.toContain(part);
    const asked = queryFor(place, fields);
    const isSet = { tbs: asked.timeRange, lang: asked.language, country: asked.country };
    const found = PROVIDER_CASES.find((one) => one.name === name && one.place === place)?.make(replyingHttp([]));
    const leftOut = found
      ?.leavesOut?.(asked)
      .filter((filter) => filter in isSet && isSet[filter as "tbs"] !== undefined);
    expect(leftOut ?? []).toEqual(left);
  });

  test("more than a page holds is asked for in pages", async () => {
    const results = Array.from({ length: 20 }, (_, index) => ({
      url: `https://a.example/${index}`,
      title: "t",
      description: "",
    }));
    const full = { body: JSON.stringify({ type: "search", web: { results } }) };
    const http = replyingHttp([full, full, { status: 429 }]);
    const brave = PROVIDER_CASES.find(({ name }) => name === "brave")?.make(http);
    const outcome = await brave?.search(queryFor("web", { limit: 100 }));
    expect(http.seen.map(({ url }) => new URL(url).searchParams.get("offset"))).toEqual([null, "1", "2"]);
    expect(outcome?.kind === "answered" && outcome.hits.length).toBe(40);
  });

  test("a token is sent where there is one", async () => {
    const http = replyingHttp([recorded("github-github.json")]);
    const web = { http, clock: fixedClock(NOW_MS), userAgent: "Test", ownHosts: [] };
    await createGithub(web, { baseUrl: "https://api.example", token: "t0ken" }).search(queryFor("github"));
    expect(http.seen[0]?.headers).toMatchObject({ authorization: "Bearer t0ken" });
  });
});

describe("failures that come with status 200", () => {
  test.each([
    {
      name: "searxng",
      place: "web" as const,
      reply: recorded("searxng-web-unresponsive.json"),
      reason: "server_error",
      words: "duckduckgo: CAPTCHA, google: timeout",
    },
    {
      name: "wikidata",
      place: "web" as const,
      reply: recorded("wikidata-web-error.json"),
      reason: "rate_limited",
      words: "rate-limited",
    },
    {
      name: "arxiv",
      place: "research" as const,
      reply: recorded("arxiv-research-error.xml"),
      reason: "refused",
      words: "max_results must be non-negative",
    },
    {
      name: "gdelt",
      place: "news" as const,
      reply: { body: "Please limit requests to one every 5 seconds or contact us." },
      reason: "rate_limited",
      words: "rate-limited",
    },
    {
      name: "gdelt",
      place: "news" as const,
      reply: { body: "The specified phrase is too short." },
      reason: "refused",
      words: "too short",
    },
    {
      name: "duckduckgo",
      place: "web" as const,
      reply: recorded("duckduckgo-web-challenge.html"),
      reason: "refused",
      words: "challenge for robots",
    },
    {
      name: "wikimedia-commons",
      place: "images" as const,
      reply: { body: '{"error":{"code":"ratelimited","info":"Slow"}}' },
      reason: "rate_limited",
      words: "rate-limited",
    },
  ])("$name: $words", async ({ name, place, reply, reason, words }) => {
    const found = PROVIDER_CASES.find((one) => one.name === name && one.place === place);
    const outcome = await found?.make(replyingHttp([reply])).search(queryFor(place));
    expect(outcome).toMatchObject({ kind: "failed", reason, message: expect.stringContaining(words) });
  });
});

describe("DuckDuckGo", () => {
  const page = String((recorded("duckduckgo-web.html") as { body: string }).body);
  const challenge = recorded("duckduckgo-web-challenge.html");

  test("is tried once more in a browser when it refuses", async () => {
    const loaded: string[] = [];
    const web = { http: replyingHttp([challenge]), clock: fixedClock(NOW_MS), userAgent: "Test", ownHosts: [] };
    const loadPage = async (url: string) => {
      loaded.push(url);
      return page;
    };
    const provider = createDuckduckgo(web, { baseUrl: "https://d.example", loadPage });
    expect(await provider.search(queryFor("web"))).toMatchObject({
      kind: "answered",
      hits: [{ title: "The bell of Harrow" }, {}],
    });
    expect(loaded).toEqual(["https://d.example/html/?q=harbour+bell"]);
  });

  test("has refused when the browser is refused too", async () => {
    const web = { http: replyingHttp([{ status: 403 }]), clock: fixedClock(NOW_MS), userAgent: "Test", ownHosts: [] };
    const provider = createDuckduckgo(web, { baseUrl: "https://d.example", loadPage: async () => undefined });
    expect(await provider.search(queryFor("web"))).toMatchObject({ kind: "failed", reason: "unauthorized" });
  });
});
