import { z } from "zod";
import { fipsCode } from "../../core/search/countries.ts";
import { plainWords } from "../../core/search/search-query.ts";
import { listOf, optionalText, present } from "../response-fields.ts";
import { askText, failed, malformed, type ProviderWeb } from "../ask.ts";
import type { ProviderOutcome, SearchProvider, SearchQuery } from "../provider.ts";

const Article = z.object({
  url: z.string(),
  title: optionalText,
  seendate: optionalText,
  socialimage: optionalText,
  domain: optionalText,
});
/** Without a match the answer is an empty object. */
const Answer = z.object({ articles: listOf(Article).default([]) });

const MAX_RESULTS = 250;
/** The first day of its index, for ranges without a beginning. */
const FIRST_DAY_MS = Date.UTC(2017, 0, 1);
/** It asks for five seconds between requests. */
const PAUSE_MS = 5_000;

/** World news of the last three months (GDELT DOC 2.0). It says what is wrong in plain text with status 200. */
export function createGdelt(web: ProviderWeb, { baseUrl }: { baseUrl: string }): SearchProvider {
  return {
    name: "gdelt",
    places: new Set(["news"]),
    fulfils: new Set(["tbs", "lang", "country"]),
    leavesOut: ({ country }) => (countryOf(country) === undefined ? ["country"] : []),
    async search(query) {
      const asked = await askText(web, query, { url: `${baseUrl}/api/v2/doc/doc?${parameters(query)}` });
      return asked.kind === "failed" ? asked : read(asked.value);
    },
  };
}

function read(text: string): ProviderOutcome {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    const words = text.replace(/\s+/g, " ").trim().slice(0, 200);
    if (/limit requests|one every \d+ seconds/i.test(words))
      return failed("rate_limited", "It is rate-limited", PAUSE_MS);
    if (/too short|too common|invalid|query/i.test(words)) return failed("refused", `It refuses the query (${words})`);
    return malformed("it is no JSON");
  }
  const parsed = Answer.safeParse(json);
  if (!parsed.success) return malformed(parsed.error.issues[0]?.message ?? "unexpected");
  return {
    kind: "answered",
    hits: parsed.data.articles.map(({ url, title, seendate, socialimage, domain }) => ({
      url,
      title,
      description: domain,
      ...present("date", isoOf(seendate)),
      ...present("imageUrl", socialimage),
    })),
  };
}

function parameters(query: SearchQuery): URLSearchParams {
  const { terms, limit, timeRange, deadlineMs } = query;
  const { fromMs, toMs, newestFirst } = timeRange ?? {};
  const stamp = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace(/[-T:]/g, "");
  return new URLSearchParams({
    query: [plainWords(terms), ...operators(query)].join(" "),
    mode: "artlist",
    format: "json",
    maxrecords: String(Math.min(MAX_RESULTS, limit)),
    sort: newestFirst === true ? "datedesc" : "hybridrel",
    ...(fromMs === undefined && toMs === undefined
      ? {}
      : { startdatetime: stamp(fromMs ?? FIRST_DAY_MS), enddatetime: stamp(toMs ?? deadlineMs) }),
  });
}

function operators({ language, country, includeDomains, excludeDomains, terms }: SearchQuery): string[] {
  const name = language === undefined ? undefined : languageName(language);
  const from = countryOf(country);
  const included = [...includeDomains, ...terms.sites].map((site) => `domainis:${site.split("/", 1)[0]}`);
  return [
    ...(name === undefined ? [] : [`sourcelang:${name}`]),
    ...(from === undefined ? [] : [`sourcecountry:${from}`]),
    ...(included.length < 2 ? included : [`(${included.join(" OR ")})`]),
    ...[...excludeDomains, ...terms.excludedSites].map((site) => `-domainis:${site.split("/", 1)[0]}`),
  ];
}

/** It takes codes of FIPS 10-4, of which many are those of other countries in ISO 3166-1. */
function countryOf(code: string | undefined): string | undefined {
  return code === undefined ? undefined : fipsCode(code);
}

function languageName(code: string): string | undefined {
  try {
    return new Intl.DisplayNames(["en"], { type: "language" }).of(code)?.toLowerCase();
  } catch {
    return undefined;
  }
}

/** `20240109T120000Z` as ISO 8601 writes it in full. */
function isoOf(stamp: string): string {
  return stamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z");
}
