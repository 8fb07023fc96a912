import { AppError } from "../../core/errors.ts";
import { countryCode } from "../../core/search/countries.ts";
import { isOnSite, parseSearchQuery } from "../../core/search/search-query.ts";
import { parseTimeRange } from "../../core/search/time-range.ts";
import { allSitesOfCategory } from "../../search/categories.ts";
import { fuseHits, type FusedHit } from "../../search/fuse.ts";
import { orderFor, type PlaceOrder } from "../../search/provider-order.ts";
import type {
  FailureReason,
  SearchCategory,
  SearchHit,
  SearchPlace,
  SearchProvider,
  SearchQuery,
  SearchSource,
  SearchFilter,
} from "../../search/provider.ts";
import type { Deps } from "../deps.ts";
import type { CategorisedHit } from "./search-results.ts";

/** Options that can be set for each source. */
export interface SearchFilters {
  tbs?: string | undefined;
  filter?: string | undefined;
  lang?: string | undefined;
  country?: string | undefined;
  location?: string | undefined;
}

/** A search of the web; only the query is needed. */
export interface WebSearchRequest extends SearchFilters {
  query: string;
  /** Maximum number of results per source. Default 10, at most 100. */
  limit?: number;
  /** Sources to search. Default: the web. */
  sources?: readonly ({ type: SearchSource } & SearchFilters)[];
  /** Categories that web results are restricted to. */
  categories?: readonly SearchCategory[];
  includeDomains?: readonly string[];
  excludeDomains?: readonly string[];
  safe?: boolean | undefined;
  /** Uses these providers and no others, such as the own index alone. */
  providers?: readonly string[] | undefined;
  /** Timeout in ms. Default 60 s. */
  timeoutMs?: number;
}

/** Result of one query to one provider. */
export interface SearchAttempt {
  provider: string;
  source: SearchSource;
  category?: SearchCategory;
  outcome: "answered" | "skipped" | FailureReason;
  /** Number of results. */
  hits: number;
  /** Error message. */
  message?: string;
  ms: number;
}

export type SearchDeps = Pick<Deps, "searchProviders" | "providerPauses" | "settings" | "clock" | "sleep" | "defer">;

/** The provider that searches what the team has read, which no outage outside affects. */
const OWN_INDEX = "own-index";

export const DEFAULT_LIMIT = 10;
export const DEFAULT_TIMEOUT_MS = 60_000;
/** Timeout of a provider while another may answer. */
const PROVIDER_TIMEOUT_MS = 10_000;
/** Time that the other providers have once one of several has returned results. */
const MERGE_WAIT_MS = 3_000;

export interface Group {
  source: SearchSource;
  isAnswered: boolean;
  hits: CategorisedHit[];
}

interface SearchContext {
  request: WebSearchRequest;
  teamId: string;
  deadlineMs: number;
  /** Providers that have requested a pause, and its end in ms since the epoch. */
  paused: ReadonlyMap<string, number>;
}

/** A search in progress: its queries to providers, and their results. */
export class ProviderSearch {
  readonly attempts: SearchAttempt[] = [];
  readonly #deps: SearchDeps;
  readonly #context: SearchContext;
  /** Errors of attempts that this deployment did not begin. */
  readonly #refusals: AppError[] = [];
  /** Options by name, with the providers that answered without applying them. */
  readonly #unmet = new Map<string, Set<string>>();

  constructor(deps: SearchDeps, context: SearchContext) {
    this.#deps = deps;
    this.#context = context;
  }

  async run(source: { type: SearchSource } & SearchFilters): Promise<Group> {
    const { categories = [], limit = DEFAULT_LIMIT } = this.#context.request;
    const narrowed = source.type === "web" && categories.length > 0 ? categories : [undefined];
    const parts = await Promise.all(narrowed.map((category) => this.#searchPlace(source, category)));
    const answered = parts.filter((part) => part !== undefined);
    const lists = answered.map((hits, index) => ({ provider: String(index), hits }));
    const hits = lists.length === 1 ? (answered[0] ?? []) : interleaved(answered);
    const isAnswered = answered.length > 0 && (hits.length > 0 || !this.#failedOutside(source.type));
    return { source: source.type, isAnswered, hits: hits.slice(0, limit) };
  }

  /** Reports whether providers outside this deployment were requested, and all of them failed. */
  #failedOutside(source: SearchSource): boolean {
    const outside = this.#attemptsAt(source).filter(({ provider }) => provider !== OWN_INDEX);
    return outside.length > 0 && outside.every(({ outcome }) => outcome !== "answered");
  }

  #attemptsAt(source: SearchSource): SearchAttempt[] {
    return this.attempts.filter((attempt) => attempt.source === source);
  }

  /** @returns undefined when no provider answered. */
  async #searchPlace(
    source: { type: SearchSource } & SearchFilters,
    category: SearchCategory | undefined,
  ): Promise<CategorisedHit[] | undefined> {
    const query = this.#queryFor(source, category);
    const { searchProviders, settings } = this.#deps;
    const { providers: wanted } = this.#context.request;
    const place: SearchPlace = category ?? source.type;
    const able = searchProviders.filter(
      (provider) =>
        provider.places.has(place) && canSearchDomains(provider, query) && wanted?.includes(provider.name) !== false,
    );
    const names = able.map(({ name }) => name);
    const steps: PlaceOrder[] =
      wanted === undefined
        ? orderFor(place, settings.searchOrder, names)
        : [{ mode: "merge", providers: wanted.filter((name) => names.includes(name)) }];
    let isAnswered = false;
    for (const step of steps) {
      const providers = step.providers.flatMap((name) => able.find((provider) => provider.name === name) ?? []);
      const found = await this.#take(step, { providers, query });
      if (found === undefined) continue;
      isAnswered = true;
      if (found.length > 0) return found.map((hit) => (category === undefined ? hit : { ...hit, category }));
    }
    return isAnswered ? [] : undefined;
  }

  /** @returns undefined when none of the step's providers answered. */
  async #take(
    { mode }: PlaceOrder,
    { providers, query }: { providers: readonly SearchProvider[]; query: SearchQuery },
  ): Promise<FusedHit[] | undefined> {
    if (mode === "merge") return this.#merge(providers, query);
    let isAnswered = false;
    for (const provider of providers) {
      const hits = await this.#ask(provider, query);
      if (hits === undefined) continue;
      isAnswered = true;
      if (hits.length > 0) return fuseHits(query.source, [{ provider: provider.name, hits }]);
    }
    return isAnswered ? [] : undefined;
  }

  /** Queries all providers at once. Once one has returned results, the others have a limited time. */
  async #merge(providers: readonly SearchProvider[], query: SearchQuery): Promise<FusedHit[] | undefined> {
    const lists: { provider: string; hits: SearchHit[] }[] = [];
    const cut = { isOver: false };
    const startedAtMs = this.#deps.clock.now();
    const waiting = new Set(providers);
    const asked = providers.map(async (provider, index) => {
      const hits = await this.#ask(provider, query, cut);
      waiting.delete(provider);
      if (hits !== undefined) lists[index] = { provider: provider.name, hits };
    });
    const all = Promise.all(asked);
    const enough = Promise.any(
      asked.map(async (query, index) => {
        await query;
        if ((lists[index]?.hits.length ?? 0) === 0) throw new Error("nothing yet");
      }),
    ).then(
      () => this.#deps.sleep(MERGE_WAIT_MS),
      () => all,
    );
    await Promise.race([all, enough]);
    cut.isOver = true;
    const message = `It had not answered ${MERGE_WAIT_MS / 1000} s after another one`;
    const ms = this.#deps.clock.now() - startedAtMs;
    for (const provider of waiting)
      this.attempts.push({ ...attemptAt(provider, query), outcome: "timed_out", hits: 0, message, ms });
    const answered = lists.filter((list) => list !== undefined);
    return answered.length === 0 ? undefined : fuseHits(query.source, answered);
  }

  /** @param cut says whether the search has gone on without the provider: what it answers then is no longer noted. */
  async #ask(provider: SearchProvider, query: SearchQuery, cut = { isOver: false }): Promise<SearchHit[] | undefined> {
    const { clock } = this.#deps;
    const startedAtMs = clock.now();
    const pausedUntilMs = this.#context.paused.get(provider.name) ?? 0;
    const base = attemptAt(provider, query);
    if (pausedUntilMs > startedAtMs) {
      const seconds = Math.ceil((pausedUntilMs - startedAtMs) / 1000);
      const message = `It is rate-limited for another ${seconds} s`;
      this.attempts.push({ ...base, outcome: "skipped", hits: 0, message, ms: 0 });
      return undefined;
    }
    if (startedAtMs >= this.#context.deadlineMs) return undefined;
    const deadlineMs = Math.min(this.#context.deadlineMs, startedAtMs + PROVIDER_TIMEOUT_MS);
    const outcome = await provider.search({ ...query, deadlineMs });
    const ms = clock.now() - startedAtMs;
    if (outcome.kind === "failed") {
      const { reason, message, retryAfterMs, refusal } = outcome;
      if (refusal !== undefined && !cut.isOver) this.#refusals.push(refusal);
      if (!cut.isOver) this.attempts.push({ ...base, outcome: reason, hits: 0, message, ms });
      if (retryAfterMs !== undefined) this.#pause(provider.name, clock.now() + retryAfterMs);
      return undefined;
    }
    if (cut.isOver) return undefined;
    const hits = outcome.hits.filter(({ url }) => isWanted(url, query)).slice(0, query.limit);
    this.attempts.push({ ...base, outcome: "answered", hits: hits.length, ms });
    if (hits.length > 0) this.#noteUnmet(provider, query);
    return hits;
  }

  #pause(provider: string, untilMs: number): void {
    this.#deps.defer(this.#deps.providerPauses.set(provider, untilMs));
  }

  #queryFor(source: { type: SearchSource } & SearchFilters, category: SearchCategory | undefined): SearchQuery {
    const { request, teamId, deadlineMs } = this.#context;
    const requested = (name: keyof SearchFilters): string | undefined =>
      emptyToUndefined(source[name] ?? request[name]);
    const tbs = requested("tbs");
    const { range: timeRange, invalid } = parseTimeRange(tbs ?? "", this.#deps.clock.now());
    if (tbs !== undefined && timeRange === undefined) this.#note("tbs", `“${tbs}” is no time range that is known`);
    for (const date of timeRange === undefined ? [] : invalid)
      this.#note("tbs", `“${date}” is no date in the order of month/day/year`);
    const [language, country, location, filter] = [
      requested("lang"),
      requested("country"),
      requested("location"),
      requested("filter"),
    ];
    const code = country === undefined ? undefined : countryCode(country);
    if (country !== undefined && code === undefined) this.#note("country", `“${country}” is no country that is known`);
    return {
      text: request.query,
      terms: parseSearchQuery(request.query),
      source: source.type,
      limit: request.limit ?? DEFAULT_LIMIT,
      includeDomains: request.includeDomains ?? [],
      excludeDomains: request.excludeDomains ?? [],
      teamId,
      deadlineMs,
      ...(category === undefined ? {} : { category }),
      ...(tbs === undefined || timeRange === undefined ? {} : { tbs, timeRange }),
      ...(language === undefined ? {} : languageOf(language)),
      ...(code === undefined ? {} : { country: code }),
      ...(location === undefined ? {} : { location }),
      ...(filter === undefined ? {} : { filter }),
      ...(request.safe === undefined ? {} : { safe: request.safe }),
    };
  }

  /** Records the options that a provider has not applied, so that the response names them. */
  #noteUnmet({ name, fulfils, leavesOut }: SearchProvider, query: SearchQuery): void {
    const leftOut = new Set(leavesOut?.(query));
    const filters: [SearchFilter, boolean][] = [
      ["tbs", query.timeRange !== undefined],
      ["lang", query.language !== undefined],
      ["country", query.country !== undefined],
      ["location", query.location !== undefined],
      ["safe", query.safe !== undefined],
      ["filter", query.filter !== undefined],
    ];
    for (const [filter, isRequested] of filters) {
      if (isRequested && (!fulfils.has(filter) || leftOut.has(filter))) this.#note(filter, name);
    }
  }

  #note(option: string, who: string): void {
    this.#unmet.set(option, (this.#unmet.get(option) ?? new Set()).add(who));
  }

  warnings(): string[] {
    return [...this.#unmet].map(([option, who]) => {
      const names = [...who];
      return names.some((name) => name.startsWith("“"))
        ? `${option}: ${names.join("; ")}.`
        : `${option}: not applied by ${names.join(", ")}.`;
    });
  }

  /** Returns the warning about a source without results, when other sources have some. */
  excuse(source: SearchSource): string {
    return `${source}: no provider answered (${said(this.#attemptsAt(source))}).`;
  }

  /** Returns the warning about a search of governments' pages without results; empty for other searches. */
  nothingOfGovernments(): string[] {
    if (this.#context.request.categories?.includes("gov") !== true) return [];
    const asked = this.#attemptsAt("web")
      .filter(({ outcome }) => outcome === "answered")
      .map(({ provider }) => provider);
    return [`gov: no page on the host of a government was found by ${asked.join(", ")}.`];
  }

  /** Returns the warning about the providers of an answered source that failed; empty when none did. */
  gaps(source: SearchSource): string[] {
    const failed = this.#attemptsAt(source).filter(({ outcome }) => outcome !== "answered");
    return failed.length === 0 ? [] : [`${source}: not all providers answered (${said(failed)}).`];
  }

  failure(): AppError {
    const [refusal] = this.#refusals;
    if (refusal !== undefined && this.#refusals.length === this.attempts.length) return refusal;
    const isLate = this.#deps.clock.now() >= this.#context.deadlineMs;
    const details = this.attempts.map(({ provider, source, category, outcome, message }) => ({
      provider,
      source,
      ...(category === undefined ? {} : { category }),
      outcome,
      ...(message === undefined ? {} : { message }),
    }));
    if (isLate) {
      const ms = this.#context.request.timeoutMs ?? DEFAULT_TIMEOUT_MS;
      return new AppError("SCRAPE_TIMEOUT", `The search timed out after ${ms} ms (${said(this.attempts)})`, {
        details,
      });
    }
    const hasOwn = this.attempts.some(({ outcome }) => outcome === "answered");
    const what = hasOwn
      ? "No search provider outside this deployment answered, and no page of your own matches"
      : "No search provider answered";
    return new AppError("SEARCH_FAILED", `${what}: ${said(this.attempts)}`, { details });
  }
}

function attemptAt(
  { name }: SearchProvider,
  { source, category }: SearchQuery,
): Pick<SearchAttempt, "provider" | "source" | "category"> {
  return { provider: name, source, ...(category === undefined ? {} : { category }) };
}

function said(attempts: readonly SearchAttempt[]): string {
  if (attempts.length === 0) return "none that is set up searches for this";
  return attempts
    .map(({ provider, outcome, message }) => `${provider}: ${message ?? SAID[outcome] ?? outcome}`)
    .join("; ");
}

const SAID: Partial<Record<SearchAttempt["outcome"], string>> = { answered: "no results" };

function languageOf(code: string): Required<Pick<SearchQuery, "language" | "languageTag">> {
  const languageTag = code.toLowerCase().replaceAll("_", "-");
  return { language: languageTag.split("-", 1)[0] ?? "", languageTag };
}

/** Returns undefined for empty text, which clients send for absent options. */
function emptyToUndefined(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === "" ? undefined : text.trim();
}

/** Reports whether a provider covers one of the requested domains. */
function canSearchDomains({ hosts }: SearchProvider, { terms, includeDomains }: SearchQuery): boolean {
  if (hosts === undefined) return true;
  const wanted = [...includeDomains, ...terms.sites].map((site) => site.split("/", 1)[0] ?? site);
  const isKnown = (site: string): boolean =>
    hosts.some((host) => isOnSite(`https://${host}/`, [site]) || isOnSite(`https://${site}/`, [host]));
  return wanted.length === 0 || wanted.some(isKnown);
}

function isWanted(url: string, { includeDomains, excludeDomains, terms, category }: SearchQuery): boolean {
  // Not every provider can restrict itself to the hosts of governments.
  if (category === "gov" && !isOnSite(url, allSitesOfCategory(category))) return false;
  if (includeDomains.length > 0 && !isOnSite(url, includeDomains)) return false;
  if (terms.sites.length > 0 && !isOnSite(url, terms.sites)) return false;
  return !isOnSite(url, [...excludeDomains, ...terms.excludedSites]);
}

/** Merges lists by rank: the best of each, then the second of each. */
function interleaved(lists: readonly CategorisedHit[][]): CategorisedHit[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  const seen = new Set<string>();
  const hits: CategorisedHit[] = [];
  for (let rank = 0; rank < longest; rank++) {
    for (const hit of lists.flatMap((list) => list[rank] ?? [])) {
      if (seen.has(hit.url)) continue;
      seen.add(hit.url);
      hits.push(hit);
    }
  }
  return hits;
}
