import { z } from "zod";
import { countryName } from "../../../core/search/countries.ts";
import { isoDay } from "../../../core/search/time-range.ts";
import { listOf, optionalText, present } from "../../response-fields.ts";
import { askJson, toOutcome, type ProviderWeb } from "../../ask.ts";
import { includedSites } from "../../included-sites.ts";
import type { SearchFilter, SearchProvider, SearchQuery } from "../../provider.ts";
import { rangesOnly } from "../../time-support.ts";

const Page = z.object({ title: optionalText, url: z.string(), content: optionalText, published_date: optionalText });
const Answer = z.object({ results: listOf(Page) });

const MAX_RESULTS = 20;
/** Countries that it knows, for web results only. It answers others with an error. */
const COUNTRIES = new Set(
  `af al dz ad ao ar am au at az bs bh bd bb by be bz bj bt bo ba bw br bn bg bf bi kh cm ca cv cf td cl cn co km cg cr hr cu cy cz dk
   dj do ec eg sv gq er ee et fj fi fr ga gm ge de gh gr gt gn ht hn hu is in id ir iq ie il it jm jp jo kz ke kw kg lv lb ls lr ly li
   lt lu mg mw my mv ml mt mr mu mx md mc mn me ma mz mm na np nl nz ni ne ng kp mk no om pk pa pg py pe ph pl pt qa ro ru rw sa sn rs
   sg sk si so za kr ss es lk sd se ch sy tw tj tz th tg tt tn tr tm ug ua ae gb us uy uz ve vn ye zm zw`.split(/\s+/),
);
/** Its names that are not those of `Intl.DisplayNames`. */
const NAMES = new Map(
  Object.entries({
    ba: "bosnia and herzegovina",
    cg: "congo",
    cz: "czech republic",
    mm: "myanmar",
    tr: "turkey",
    tt: "trinidad and tobago",
  }),
);

/** Tavily's `/search` (docs.tavily.com). It takes domains as lists and has no operators. */
export function createTavily(web: ProviderWeb, { baseUrl, key }: { baseUrl: string; key: string }): SearchProvider {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return {
    name: "tavily",
    places: new Set(["web", "news", "github", "research", "developer", "gov"]),
    fulfils: new Set(["tbs", "country"]),
    leavesOut,
    async search(query) {
      const sites = includedSites(query);
      if (sites?.length === 0) return { kind: "answered", hits: [] };
      const request = { url: `${baseUrl}/search`, method: "POST" as const, headers, body: bodyOf(query, sites) };
      return toOutcome(await askJson(web, query, { ...request, schema: Answer }), ({ results }) =>
        results.map(({ url, title, content, published_date: date }) => {
          return { url, title, description: content.trim(), ...present("date", date) };
        }),
      );
    },
  };
}

function bodyOf(query: SearchQuery, sites: readonly string[] = []): string {
  const { source, limit, terms, timeRange } = query;
  const excluded = [...query.excludeDomains, ...terms.excludedSites];
  const { fromMs, toMs, unit } = timeRange ?? {};
  const name = countryOf(query);
  return JSON.stringify({
    query: query.text,
    topic: source === "news" ? "news" : "general",
    max_results: Math.min(MAX_RESULTS, limit),
    ...(sites.length === 0 ? {} : { include_domains: sites }),
    ...(excluded.length === 0 ? {} : { exclude_domains: excluded }),
    ...(name === undefined ? {} : { country: name }),
    ...(unit !== undefined && toMs === undefined
      ? { time_range: unit === "hour" ? "day" : unit }
      : {
          ...(fromMs === undefined ? {} : { start_date: isoDay(fromMs) }),
          ...(toMs === undefined ? {} : { end_date: isoDay(toMs) }),
        }),
  });
}

function leavesOut(query: SearchQuery): SearchFilter[] {
  return [...rangesOnly(query), ...(countryOf(query) === undefined ? (["country"] as const) : [])];
}

/** Returns the English name of the country, in lower case. */
function countryOf({ source, country }: SearchQuery): string | undefined {
  if (source !== "web" || country === undefined || !COUNTRIES.has(country)) return undefined;
  return NAMES.get(country) ?? countryName(country)?.toLowerCase();
}
