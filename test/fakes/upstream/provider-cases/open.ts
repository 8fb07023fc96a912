import { HTTP_FAILURES, recorded, type ProviderCase } from "../../../contracts/search-provider.ts";
import { createDuckduckgo } from "../../../../src/search/providers/web/duckduckgo.ts";
import { createGdelt } from "../../../../src/search/providers/gdelt.ts";
import { createGithub } from "../../../../src/search/providers/github.ts";
import { createHackerNews } from "../../../../src/search/providers/hacker-news.ts";
import { createSearxng } from "../../../../src/search/providers/web/searxng.ts";
import { createWikidata } from "../../../../src/search/providers/wikidata.ts";
import { createWikipedia } from "../../../../src/search/providers/wikipedia.ts";
import { baseUrl, web, BELL, SEA, NEWS, PICTURE } from "./shared.ts";

/** Providers that anybody may ask. */
export const OPEN_CASES: ProviderCase[] = [
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
];
