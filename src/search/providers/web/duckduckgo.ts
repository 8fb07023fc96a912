import { selectAll } from "../../../content/html/tree/select.ts";
import { parseHtml, textOf } from "../../../content/html/tree/tree.ts";
import { askPages, askText, failed, malformed, type ProviderWeb } from "../../ask.ts";
import { engineText } from "../../engine-text.ts";
import type { ProviderOutcome, SearchHit, SearchProvider, SearchQuery } from "../../provider.ts";
import { unitsOnly } from "../../time-support.ts";

/** Loads a page in a browser. @returns its HTML, undefined when it could not be loaded. */
export type LoadPage = (url: string, deadlineMs: number) => Promise<string | undefined>;

const SIZE = 10;
const MAX_PAGES = 3;
const DAYS = { hour: "d", day: "d", week: "w", month: "m", year: "y" };

/**
 * DuckDuckGo's page for browsers without scripts. It is no interface: it may refuse at any time, so it is asked only where
 * the settings name it. A refusal is tried once more in a browser.
 */
export function createDuckduckgo(
  web: ProviderWeb,
  { baseUrl, loadPage }: { baseUrl: string; loadPage: LoadPage | undefined },
): SearchProvider {
  async function askPage(query: SearchQuery, page: number): Promise<ProviderOutcome> {
    const url = `${baseUrl}/html/?${parameters(query, page)}`;
    const asked = await askText(web, query, { url, headers: { accept: "text/html" } });
    const outcome = asked.kind === "failed" ? asked : read(asked.value);
    if (outcome.kind === "answered" || loadPage === undefined) return outcome;
    const html = await loadPage(url, query.deadlineMs);
    const second = html === undefined ? outcome : read(html);
    return second.kind === "answered" ? second : outcome;
  }
  return {
    name: "duckduckgo",
    places: new Set(["web", "github", "research", "pdf", "developer", "gov"]),
    fulfils: new Set(["tbs", "lang", "country", "safe"]),
    leavesOut: unitsOnly,
    search: (query) => askPages(query.limit, { size: SIZE, maxPages: MAX_PAGES }, (page) => askPage(query, page)),
  };
}

function parameters(query: SearchQuery, page: number): URLSearchParams {
  const { language, country, safe, timeRange } = query;
  const parameters = new URLSearchParams({ q: engineText(query) });
  if (page > 0) parameters.set("s", String(page * SIZE));
  if (country !== undefined || language !== undefined) parameters.set("kl", `${country ?? "wt"}-${language ?? "wt"}`);
  if (safe !== undefined) parameters.set("kp", safe ? "1" : "-2");
  if (timeRange?.unit !== undefined) parameters.set("df", DAYS[timeRange.unit]);
  return parameters;
}

function read(html: string): ProviderOutcome {
  const { root } = parseHtml(html);
  if (selectAll(root, ".anomaly-modal__title, #challenge-form, .anomaly-modal__modal").length > 0)
    return failed("refused", "It answered with a challenge for robots");
  const hits = selectAll(root, ".result").flatMap((result): SearchHit[] => {
    const [link] = selectAll(result, "a.result__a");
    const url = targetOf(link?.attributes["href"] ?? "");
    if (link === undefined || url === undefined) return [];
    const [snippet] = selectAll(result, ".result__snippet");
    return [{ url, title: words(textOf(link)), description: snippet === undefined ? "" : words(textOf(snippet)) }];
  });
  const saysNone = selectAll(root, ".no-results, .result--no-result").length > 0;
  return hits.length > 0 || saysNone
    ? { kind: "answered", hits }
    : malformed("it holds no results and does not say so");
}

/** Links lead through the engine's own redirect; advertisements have a path of their own. */
function targetOf(href: string): string | undefined {
  const parsed = URL.parse(href, "https://duckduckgo.com/");
  if (parsed === null) return undefined;
  const target = parsed.searchParams.get("uddg");
  if (parsed.pathname === "/y.js" || target?.includes("duckduckgo.com/y.js") === true) return undefined;
  return target ?? (parsed.hostname.endsWith("duckduckgo.com") ? undefined : parsed.href);
}

const words = (text: string): string => text.replace(/\s+/g, " ").trim();
