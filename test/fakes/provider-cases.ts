import { fixedClock } from "./fixed-clock.ts";
import { HTTP_FAILURES, NOW_MS, recorded, type ProviderCase } from "../contracts/search-provider.ts";
import type { Http } from "../../src/ports/http.ts";
import { createArxiv } from "../../src/search/arxiv.ts";
import type { ProviderWeb } from "../../src/search/ask.ts";
import { createBrave } from "../../src/search/brave.ts";
import { createCloudflare } from "../../src/search/cloudflare.ts";
import { createCrossref } from "../../src/search/crossref.ts";
import { createDuckduckgo } from "../../src/search/duckduckgo.ts";
import { createExa } from "../../src/search/exa.ts";
import { createGdelt } from "../../src/search/gdelt.ts";
import { createGithub } from "../../src/search/github.ts";
import { createHackerNews } from "../../src/search/hacker-news.ts";
import { createOpenalex } from "../../src/search/openalex.ts";
import { createOpenverse } from "../../src/search/openverse.ts";
import { createOwnIndex } from "../../src/search/own-index.ts";
import type { SearchProvider } from "../../src/search/provider.ts";
import { createPubmed } from "../../src/search/pubmed.ts";
import { createSearxng } from "../../src/search/searxng.ts";
import { createSerper } from "../../src/search/serper.ts";
import { createTavily } from "../../src/search/tavily.ts";
import { createWikidata } from "../../src/search/wikidata.ts";
import { createWikimediaCommons } from "../../src/search/wikimedia-commons.ts";
import { createWikipedia } from "../../src/search/wikipedia.ts";

const baseUrl = "https://provider.example";
const key = "secret-key";
const web = (http: Http): ProviderWeb => ({ http, clock: fixedClock(NOW_MS), userAgent: "Test", ownHosts: [] });

const BELL = {
  url: "https://harrow.example/bell",
  title: "The bell of Harrow",
  description: "The harbour bell was cast in 1821.",
};
const SEA = { url: "https://bells.example/sea", title: "Bells at sea", description: "How bells warn ships." };
const NEWS = {
  url: "https://news.example/bell",
  title: "Harbour bell rings again",
  description: "After eighty years.",
};
const PICTURE = {
  url: "https://harrow.example/gallery",
  title: "Bell",
  description: "",
  imageUrl: "https://harrow.example/bell.jpg",
  imageWidth: 1600,
  imageHeight: 1066,
};

/** Every provider in every kind of place that it reads differently. */
export const PROVIDER_CASES: ProviderCase[] = [
  {
    name: "brave",
    place: "web",
    make: (http) => createBrave(web(http), { baseUrl, key }),
    normal: [recorded("brave-web.json")],
    empty: [recorded("brave-web-empty.json")],
    hits: [{ ...BELL, title: "The bell of Harrow & its founders", date: "2025-03-04T10:00:00" }, SEA],
  },
  {
    name: "brave",
    place: "news",
    make: (http) => createBrave(web(http), { baseUrl, key }),
    normal: [recorded("brave-news.json")],
    empty: [{ body: '{"type":"news","results":[]}' }],
    hits: [{ ...NEWS, date: "2026-06-12T08:30:00", imageUrl: "https://imgs.search.brave.com/a.jpg" }],
  },
  {
    name: "brave",
    place: "images",
    make: (http) => createBrave(web(http), { baseUrl, key }),
    normal: [recorded("brave-images.json")],
    empty: [{ body: '{"type":"images","results":[]}' }],
    hits: [PICTURE],
  },
  {
    name: "serper",
    place: "web",
    make: (http) => createSerper(web(http), { baseUrl, key }),
    normal: [recorded("serper-web.json")],
    empty: [recorded("serper-web-empty.json")],
    hits: [{ ...BELL, description: "The harbour bell was cast in 1821 …", date: "Mar 4, 2025" }, SEA],
  },
  {
    name: "serper",
    place: "news",
    make: (http) => createSerper(web(http), { baseUrl, key }),
    normal: [recorded("serper-news.json")],
    empty: [{ body: '{"news":[]}' }],
    hits: [{ ...NEWS, date: "2 days ago" }],
  },
  {
    name: "serper",
    place: "images",
    make: (http) => createSerper(web(http), { baseUrl, key }),
    normal: [recorded("serper-images.json")],
    empty: [{ body: '{"images":[]}' }],
    hits: [PICTURE],
  },
  {
    name: "tavily",
    place: "web",
    make: (http) => createTavily(web(http), { baseUrl, key }),
    normal: [recorded("tavily-web.json")],
    empty: [recorded("tavily-web-empty.json")],
    hits: [BELL, SEA],
  },
  {
    name: "tavily",
    place: "news",
    make: (http) => createTavily(web(http), { baseUrl, key }),
    normal: [recorded("tavily-news.json")],
    empty: [recorded("tavily-web-empty.json")],
    hits: [{ ...NEWS, date: "Fri, 12 Jun 2026 08:30:00 GMT" }],
  },
  {
    name: "exa",
    place: "web",
    make: (http) => createExa(web(http), { baseUrl, key }),
    normal: [recorded("exa-web.json")],
    empty: [recorded("exa-web-empty.json")],
    hits: [
      {
        ...BELL,
        description: "The harbour bell was cast in 1821. … It weighs a ton.",
        date: "2025-03-04T00:00:00.000Z",
      },
      SEA,
    ],
  },
  {
    name: "searxng",
    place: "web",
    make: (http) => createSearxng(web(http), { baseUrl }),
    normal: [recorded("searxng-web.json")],
    empty: [recorded("searxng-web-empty.json")],
    hits: [{ ...BELL, date: "2025-03-04T10:00:00" }, SEA],
  },
  {
    name: "searxng",
    place: "images",
    make: (http) => createSearxng(web(http), { baseUrl }),
    normal: [recorded("searxng-images.json")],
    empty: [recorded("searxng-web-empty.json")],
    hits: [PICTURE],
  },
  {
    name: "searxng",
    place: "news",
    make: (http) => createSearxng(web(http), { baseUrl }),
    normal: [recorded("searxng-news.json")],
    empty: [recorded("searxng-web-empty.json")],
    hits: [{ ...NEWS, date: "2026-06-12T08:30:00", imageUrl: "https://news.example/a.jpg" }],
  },
  {
    name: "cloudflare",
    place: "web",
    make: overBinding,
    normal: [recorded("cloudflare-web.json")],
    empty: [recorded("cloudflare-web-empty.json")],
    hits: [
      { ...BELL, date: "2025-03-04T10:00:00" },
      { ...SEA, description: "" },
    ],
    failures: [
      { why: "401", reply: { status: 401 }, reason: "unauthorized", words: /account may not use it/ },
      { why: "429", reply: { status: 429 }, reason: "rate_limited", words: /left alone/, retryAfterMs: 60_000 },
      { why: "500", reply: { status: 500 }, reason: "server_error", words: /It failed/ },
      { why: "a time-out", reply: { failed: "SCRAPE_TIMEOUT" }, reason: "timed_out", words: /in time/ },
      {
        why: "an answer of another shape",
        reply: { body: '{"items":7}' },
        reason: "malformed",
        words: /could not be read/,
      },
    ],
  },
  {
    name: "duckduckgo",
    place: "web",
    make: (http) => createDuckduckgo(web(http), { baseUrl, loadPage: undefined }),
    normal: [recorded("duckduckgo-web.html")],
    empty: [recorded("duckduckgo-web-empty.html")],
    hits: [BELL, { ...SEA, description: "" }],
  },
  {
    name: "wikipedia",
    place: "web",
    make: (http) => createWikipedia(web(http), { baseUrl }),
    normal: [recorded("wikipedia-web.json")],
    empty: [recorded("wikipedia-web-empty.json")],
    hits: [
      {
        url: "https://en.wikipedia.org/wiki/Ship's_bell",
        title: "Ship's bell",
        description: `Bell aboard a ship. A ship's bell is a bell on a ship "at sea"`,
      },
      { url: "https://en.wikipedia.org/wiki/AC/DC_bell", title: "AC/DC bell", description: "The bell of Hells Bells" },
    ],
  },
  {
    name: "wikidata",
    place: "web",
    make: (http) => createWikidata(web(http), { baseUrl }),
    normal: [recorded("wikidata-web.json")],
    empty: [recorded("wikidata-web-empty.json")],
    hits: [
      { url: "https://www.wikidata.org/wiki/Q101401", title: "bell", description: "percussion instrument" },
      { url: "https://www.wikidata.org/wiki/Q355", title: "Facebook", description: "" },
    ],
  },
  {
    name: "github",
    place: "github",
    make: (http) => createGithub(web(http), { baseUrl, token: undefined }),
    normal: [recorded("github-github.json")],
    empty: [recorded("github-github-empty.json")],
    hits: [
      {
        url: "https://github.com/harrow/bell",
        title: "harrow/bell",
        description: "Rings the harbour bell · Rust · 321 stars",
        date: "2026-05-01T12:00:00Z",
      },
      {
        url: "https://github.com/harrow/tides",
        title: "harrow/tides",
        description: "4 stars",
        date: "2024-05-01T12:00:00Z",
      },
    ],
  },
  {
    name: "arxiv",
    place: "research",
    make: (http) => createArxiv(web(http), { baseUrl }),
    normal: [recorded("arxiv-research.xml")],
    empty: [recorded("arxiv-research-empty.xml")],
    hits: [
      {
        url: "https://arxiv.org/abs/2503.01234v2",
        title: "Acoustics of the harbour bell",
        description: "Edith Marrow, Jonas Pell. We measure how far a bell & its echo carry over water.",
        date: "2025-03-04T10:00:00Z",
      },
    ],
  },
  {
    name: "openalex",
    place: "research",
    make: (http) => createOpenalex(web(http), { baseUrl }),
    normal: [recorded("openalex-research.json")],
    empty: [recorded("openalex-research-empty.json")],
    hits: [
      {
        url: "https://journal.example/bells/4375",
        title: "Acoustics of the harbour bell",
        description: "Journal of Bells. We measure the bell the echo",
        date: "2025-03-04",
      },
      { url: "https://openalex.org/W2", title: "Tides", description: "", date: "2024-01-01" },
    ],
  },
  {
    name: "crossref",
    place: "research",
    make: (http) => createCrossref(web(http), { baseUrl }),
    normal: [recorded("crossref-research.json")],
    empty: [recorded("crossref-research-empty.json")],
    hits: [
      {
        url: "https://doi.org/10.7717/bells.4375",
        title: "Acoustics of the harbour bell",
        description: "Journal of Bells. We measure the bell.",
        date: "2025-03-04",
      },
      { url: "https://doi.org/10.1/x", title: "10.1/x", description: "" },
    ],
  },
  {
    name: "pubmed",
    place: "research",
    make: (http) => createPubmed(web(http), { baseUrl }),
    normal: [recorded("pubmed-search.json"), recorded("pubmed-summaries.json")],
    empty: [recorded("pubmed-search-empty.json")],
    hits: [
      {
        url: "https://pubmed.ncbi.nlm.nih.gov/38012345/",
        title: "Hearing loss among bell ringers.",
        description: "Journal of Bells. Marrow E, Pell J",
        date: "2025-03-04",
      },
    ],
  },
  {
    name: "hacker-news",
    place: "web",
    make: (http) => createHackerNews(web(http), { baseUrl }),
    normal: [recorded("hacker-news-web.json")],
    empty: [recorded("hacker-news-web-empty.json")],
    hits: [
      { ...BELL, description: "99 points, 12 comments on Hacker News", date: "2025-03-04T10:00:00Z" },
      {
        url: "https://news.ycombinator.com/item?id=43210002",
        title: "Ask HN: Ship bells?",
        description: "Who still rings one?",
        date: "2025-03-03T10:00:00Z",
      },
    ],
  },
  {
    name: "wikimedia-commons",
    place: "images",
    make: (http) => createWikimediaCommons(web(http), { baseUrl }),
    normal: [recorded("wikimedia-commons-images.json")],
    empty: [recorded("wikimedia-commons-images-empty.json")],
    hits: [
      {
        url: "https://commons.wikimedia.org/wiki/File:Harbour_bell.jpg",
        title: "Harbour bell",
        description: "",
        imageUrl: "https://upload.wikimedia.org/harbour_bell.jpg",
        imageWidth: 1600,
        imageHeight: 1066,
      },
      {
        url: "https://commons.wikimedia.org/wiki/File:Second_bell.png",
        title: "Second bell",
        description: "",
        imageUrl: "https://upload.wikimedia.org/second.png",
        imageWidth: 300,
        imageHeight: 200,
      },
    ],
  },
  {
    name: "openverse",
    place: "images",
    make: (http) => createOpenverse(web(http), { baseUrl }),
    normal: [recorded("openverse-images.json")],
    empty: [recorded("openverse-images-empty.json")],
    hits: [PICTURE],
  },
  {
    name: "gdelt",
    place: "news",
    make: (http) => createGdelt(web(http), { baseUrl }),
    normal: [recorded("gdelt-news.json")],
    empty: [recorded("gdelt-news-empty.json")],
    hits: [
      {
        ...NEWS,
        description: "news.example",
        date: "2026-06-12T08:30:00Z",
        imageUrl: "https://news.example/a.jpg",
      },
    ],
    // An object without articles is how it says that there are none.
    failures: HTTP_FAILURES.filter(({ why }) => why !== "a body of another shape"),
  },
  {
    name: "own-index",
    place: "web",
    make: overIndex,
    normal: [{ body: JSON.stringify([{ url: BELL.url, title: BELL.title, body: `${BELL.description} Much more.` }]) }],
    empty: [{ body: "[]" }],
    hits: [{ ...BELL, date: new Date(NOW_MS).toISOString() }],
    failures: [
      {
        why: "a database that fails",
        reply: { status: 500 },
        reason: "server_error",
        words: /index could not be read/,
      },
    ],
  },
];

/** A binding has no HTTP: what it says is what it throws, and when it does not answer it does not. */
function overBinding(http: Http): SearchProvider {
  const search = async (): Promise<unknown> => {
    const outcome = await http.request({ url: baseUrl, deadlineMs: NOW_MS, ownHosts: [] });
    if (outcome.kind === "failed") return new Promise(() => {});
    const { statusCode, body } = outcome.response;
    if (statusCode !== 200) throw new Error(`Web Search answered ${statusCode}`);
    return JSON.parse(new TextDecoder().decode(body)) as unknown;
  };
  // Little is left of the time that one provider has.
  return createCloudflare({ search }, fixedClock(NOW_MS + 9_990));
}

function overIndex(http: Http): SearchProvider {
  const pages = {
    put: async () => {},
    purge: async () => 0,
    search: async () => {
      const outcome = await http.request({ url: baseUrl, deadlineMs: NOW_MS, ownHosts: [] });
      if (outcome.kind === "failed" || outcome.response.statusCode !== 200) throw new Error("D1_ERROR");
      const rows = JSON.parse(new TextDecoder().decode(outcome.response.body)) as {
        url: string;
        title: string;
        body: string;
      }[];
      return rows.map((row) => ({ ...row, description: "", datedAtMs: NOW_MS }));
    },
  };
  return createOwnIndex({ pages, clock: fixedClock(NOW_MS), retentionMs: 86_400_000 });
}
