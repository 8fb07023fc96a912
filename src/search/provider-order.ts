import { CATEGORIES, PLACES, SOURCES, type SearchPlace } from "./provider.ts";

/** Every provider there is; which of them a deployment has depends on its settings. */
export const PROVIDER_NAMES = [
  "own-index", "cloudflare", "brave", "serper", "exa", "tavily", "searxng", "duckduckgo", "wikipedia", "wikidata", "github",
  "arxiv", "openalex", "crossref", "pubmed", "hacker-news", "wikimedia-commons", "openverse", "gdelt", "gov-uk", "federal-register",
] as const; // prettier-ignore

/** How one place is searched: providers in their order, the first that finds something alone or all of them fused. */
export interface PlaceOrder {
  mode: "first" | "merge";
  providers: string[];
}

export type ProviderOrder = Partial<Record<SearchPlace, PlaceOrder>>;

const ENTRY = /^(?:([a-z]+)\s*=\s*)?(?:(merge|first)\s*\(([^()]*)\)|([^()=]*))$/;

/**
 * Reads `SEARCH_PROVIDERS`: entries with `;` between them, each `place=names` with commas between the names, or
 * `place=merge(names)`. An entry without a place holds for every place that has none of its own.
 * @throws Error with a message for the operator who set it.
 */
export function parseProviderOrder(text: string): ProviderOrder {
  const order: ProviderOrder = {};
  let general: PlaceOrder | undefined;
  for (const entry of text
    .toLowerCase()
    .split(";")
    .map((part) => part.trim())) {
    if (entry === "") continue;
    const match = ENTRY.exec(entry);
    if (match === null) throw new Error(`“${entry}” is not of the form place=name,name or place=merge(name,name)`);
    const [, place, mode = "first", inside, bare = ""] = match;
    const providers = (inside ?? bare)
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "");
    for (const name of providers) {
      if (!isProvider(name)) throw new Error(`there is no provider ${name}; there are ${PROVIDER_NAMES.join(", ")}`);
    }
    const placeOrder: PlaceOrder = { mode: mode === "merge" ? "merge" : "first", providers };
    if (place === undefined) general = placeOrder;
    else if (isPlace(place)) order[place] = placeOrder;
    else throw new Error(`there is nothing to search called ${place}; there are ${PLACES.join(", ")}`);
  }
  if (general !== undefined) for (const place of SOURCES) order[place] ??= general;
  return order;
}

/**
 * Reads `SEARCH_PROVIDER_URLS`: `name=address` with `;` between them, for mirrors and for tests.
 * @throws Error with a message for the operator who set it.
 */
export function parseProviderUrls(text: string): Partial<Record<string, string>> {
  const entries = text
    .split(";")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  return Object.fromEntries(
    entries.map((entry): [string, string] => {
      const [name = "", address = ""] = entry.split(/=(.*)/s).map((part) => part.trim());
      if (!isProvider(name)) throw new Error(`there is no provider ${name}; there are ${PROVIDER_NAMES.join(", ")}`);
      if (!/^https?:\/\/\S+$/.test(address))
        throw new Error(`the address of ${name} must begin with http:// or https://`);
      return [name, address];
    }),
  );
}

function isProvider(text: string): boolean {
  return (PROVIDER_NAMES as readonly string[]).includes(text);
}

function isPlace(text: string): text is SearchPlace {
  return ([...SOURCES, ...CATEGORIES] as string[]).includes(text);
}

/** Engines that search the whole web, best first; each needs a key or an address from the operator. */
const ENGINES = ["cloudflare", "brave", "serper", "exa", "tavily", "searxng"];

/** Providers that need no key, used alone or after an engine that fails. */
const KEYLESS: Record<SearchPlace, PlaceOrder> = {
  web: { mode: "merge", providers: ["own-index", "wikipedia", "wikidata", "hacker-news"] },
  images: { mode: "merge", providers: ["wikimedia-commons", "openverse"] },
  news: { mode: "first", providers: ["gdelt", "hacker-news", "own-index"] },
  github: { mode: "first", providers: ["github", "own-index"] },
  research: { mode: "merge", providers: ["openalex", "arxiv", "crossref", "pubmed", "own-index"] },
  pdf: { mode: "merge", providers: ["own-index", "arxiv"] },
  developer: { mode: "merge", providers: ["github", "hacker-news", "own-index"] },
  gov: { mode: "merge", providers: ["own-index", "gov-uk", "federal-register", "hacker-news"] },
};

/** The order that the settings give, and one that makes the best of what is there where they say nothing. */
export function orderFor(place: SearchPlace, set: ProviderOrder, available: readonly string[]): PlaceOrder[] {
  const chosen = set[place];
  if (chosen !== undefined) return [withAvailable(chosen, available)];
  const engines = withAvailable({ mode: "first", providers: ENGINES }, available);
  const keyless = withAvailable(KEYLESS[place], available);
  // GitHub and the indexes of papers know their own ground better than an engine does.
  const steps = place === "github" || place === "research" ? [keyless, engines] : [engines, keyless];
  return steps.filter(({ providers }) => providers.length > 0);
}

function withAvailable({ mode, providers }: PlaceOrder, available: readonly string[]): PlaceOrder {
  return { mode, providers: providers.filter((name) => available.includes(name)) };
}
