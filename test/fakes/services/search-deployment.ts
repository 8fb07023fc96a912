import type { ProviderOutcome, SearchHit, SearchProvider, SearchQuery } from "../../../src/search/provider.ts";
import { isAppError } from "../../../src/core/errors.ts";
import { parseProviderOrder } from "../../../src/search/provider-order.ts";
import { anonymousCaller } from "../../../src/services/account/anonymous-caller.ts";
import { searchWeb, type WebSearchRequest } from "../../../src/services/search/search-web.ts";
import { NOW_MS } from "../../contracts/search-provider.ts";
import { fixedClock } from "../fixed-clock.ts";
import { noPauses } from "../memory/memory-page-index.ts";
import { testDeps } from "./test-deps.ts";

export const hit = (url: string, fields: Partial<SearchHit> = {}): SearchHit => ({
  url,
  title: url,
  description: "",
  ...fields,
});

/** A provider under a real one's name, that answers as it is told; `seen` shows what it was asked. */
export function provider(
  name: string,
  answer: SearchHit[] | ProviderOutcome | ((query: SearchQuery) => Promise<ProviderOutcome>),
  fields: Partial<SearchProvider> = {},
): SearchProvider & { seen: SearchQuery[] } {
  const seen: SearchQuery[] = [];
  return {
    name,
    seen,
    places: new Set(["web", "images", "news", "github", "research", "pdf", "developer", "gov"]),
    fulfils: new Set(["tbs", "lang", "country", "location", "safe", "filter"]),
    search: async (query) => {
      seen.push(query);
      if (typeof answer === "function") return answer(query);
      return Array.isArray(answer) ? { kind: "answered", hits: answer } : answer;
    },
    ...fields,
  };
}

export const down: ProviderOutcome = { kind: "failed", reason: "server_error", message: "It answered 500" };

/** A search in a deployment with these providers, asked in this order. */
export function deployment(searchProviders: SearchProvider[], order = "") {
  const clock = fixedClock(NOW_MS);
  const pauses = noPauses();
  const deps = testDeps({
    clock,
    searchProviders,
    providerPauses: pauses,
    defer: (work) => void work,
    settings: { searchOrder: parseProviderOrder(order) },
  });
  const search = (request: Partial<WebSearchRequest> = {}) =>
    searchWeb(deps, anonymousCaller(), { query: "harbour bell", ...request });
  /** What is thrown. */
  const failure = async (request: Partial<WebSearchRequest> = {}) => {
    const error: unknown = await search(request).catch((thrown: unknown) => thrown);
    if (!isAppError(error)) throw new Error("It did not fail as it should");
    return error;
  };
  return { clock, pauses, search, failure };
}

export const urls = (items: { url: string }[]): string[] => items.map(({ url }) => url);
