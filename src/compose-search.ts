import type { Engine } from "./engines/engine.ts";
import { namedServers, type Env, type Settings } from "./env.ts";
import type { Meter } from "./core/account/meter.ts";
import type { ConnectionSlots } from "./platform/outbound/connection-slots.ts";
import { logEvent } from "./platform/log-event.ts";
import { operatorFetch } from "./platform/outbound/egress.ts";
import { createGuardedFetch } from "./platform/outbound/guarded-fetch.ts";
import { createOutboundGuard } from "./platform/outbound/outbound-guard.ts";
import type { OutboundGuard } from "./ports/outbound/outbound-guard.ts";
import type { PageIndex } from "./ports/search/page-index.ts";
import type { Clock, Resolver } from "./ports/system.ts";
import type { Admit } from "./search/providers/web/own-index.ts";
import type { LoadPage } from "./search/providers/web/duckduckgo.ts";
import { createGithubIndex } from "./search/developer/github-index.ts";
import { addressesOf, buildProviders, type ProviderParts } from "./search/index.ts";
import { buildPaperSources } from "./search/papers/index.ts";
import type { Deps } from "./services/deps.ts";

const HOUR_MS = 3_600_000;

/**
 * The guard of what search providers are asked through. Hosts that the settings name as a provider's address may be on a
 * private network, which does not open them for scraping.
 */
export function createSearchGuard(settings: Settings, resolver: Resolver): OutboundGuard {
  return createOutboundGuard({
    allowPrivateHosts: [...settings.ALLOW_PRIVATE_HOSTS, ...namedServers(settings)],
    resolver,
  });
}

interface Parts {
  env: Env;
  settings: Settings;
  guard: OutboundGuard;
  clock: Clock;
  meter: Meter;
  pages: PageIndex;
  /** Admission to the own index. */
  admit: Admit;
  engines: readonly Engine[];
  ownHosts: readonly string[];
  /** The connection slots of the invocation. */
  slots: ConnectionSlots;
}

/** The search providers, sources of papers and indexes that the settings and bindings make possible. */
export function buildSearch({
  env,
  settings,
  guard,
  clock,
  meter,
  pages,
  admit,
  engines,
  ownHosts,
  slots,
}: Parts): Pick<Deps, "searchProviders" | "paperSources" | "githubIndex"> {
  const parts: ProviderParts = {
    pages,
    admit,
    log: logEvent,
    clock,
    http: createGuardedFetch({ guard, clock, meter, slots, ...operatorFetch(env) }),
    userAgent: settings.USER_AGENT,
    ownHosts,
    indexRetentionMs: settings.SEARCH_INDEX_RETENTION_HOURS * HOUR_MS,
    urls: settings.SEARCH_PROVIDER_URLS,
    searxngUrl: settings.SEARXNG_URL,
    braveKey: settings.BRAVE_API_KEY,
    serperKey: settings.SERPER_API_KEY,
    tavilyKey: settings.TAVILY_API_KEY,
    exaKey: settings.EXA_API_KEY,
    githubToken: settings.GITHUB_TOKEN,
    cloudflare: env.WEBSEARCH,
    loadPage: pageLoader(engines, ownHosts),
  };
  const at = addressesOf(parts);
  return {
    searchProviders: buildProviders(parts),
    paperSources: buildPaperSources(parts, at),
    githubIndex: createGithubIndex(parts, { ...at("github", "https://api.github.com"), token: parts.githubToken }),
  };
}

/** Pages of a search engine that refuses plain requests, by the browser where there is one. */
function pageLoader(engines: readonly Engine[], ownHosts: readonly string[]): LoadPage | undefined {
  const browser = engines.find(({ engine }) => engine === "browser");
  if (browser === undefined) return undefined;
  return async (url, deadlineMs) => {
    const outcome = await browser.load({
      url,
      deadlineMs,
      ownHosts,
      waitForMs: 0,
      mobile: false,
      headers: {},
      languages: [],
      blockAds: true,
      skipTlsVerification: false,
      fastMode: false,
      actions: [],
      screenshot: undefined,
      needs: new Set(["browser" as const]),
    });
    return outcome.kind === "loaded" && typeof outcome.page.body === "string" ? outcome.page.body : undefined;
  };
}
