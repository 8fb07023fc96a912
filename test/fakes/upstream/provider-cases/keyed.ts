import { recorded, type ProviderCase } from "../../../contracts/search-provider.ts";
import { createBrave } from "../../../../src/search/providers/web/brave.ts";
import { createExa } from "../../../../src/search/providers/web/exa.ts";
import { createSerper } from "../../../../src/search/providers/web/serper.ts";
import { createTavily } from "../../../../src/search/providers/web/tavily.ts";
import { baseUrl, key, web, BELL, SEA, NEWS, PICTURE } from "./shared.ts";

/** Providers that want a key. */
export const KEYED_CASES: ProviderCase[] = [
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
];
