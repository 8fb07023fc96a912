import type { LogEvent } from "../core/text/redact.ts";
import type { PageIndex } from "../ports/search/page-index.ts";
import { createArxiv } from "./providers/research/arxiv.ts";
import type { ProviderWeb } from "./ask.ts";
import { createBrave } from "./providers/web/brave.ts";
import { createCloudflare, type WebSearchBinding } from "./providers/web/cloudflare.ts";
import { createCrossref } from "./providers/research/crossref.ts";
import { createDuckduckgo, type LoadPage } from "./providers/web/duckduckgo.ts";
import { createExa } from "./providers/web/exa.ts";
import { createGdelt } from "./providers/gdelt.ts";
import { createFederalRegister } from "./providers/gov/federal-register.ts";
import { createGovUk } from "./providers/gov/gov-uk.ts";
import { createGithub } from "./providers/github.ts";
import { createHackerNews } from "./providers/hacker-news.ts";
import { createOpenalex } from "./providers/research/openalex.ts";
import { createOpenverse } from "./providers/images/openverse.ts";
import { createOwnIndex, type Admit } from "./providers/web/own-index.ts";
import type { SearchProvider } from "./provider.ts";
import { createPubmed } from "./providers/research/pubmed.ts";
import { createSearxng } from "./providers/web/searxng.ts";
import { createSerper } from "./providers/web/serper.ts";
import { createTavily } from "./providers/web/tavily.ts";
import { createWikidata } from "./providers/wikidata.ts";
import { createWikimediaCommons } from "./providers/images/wikimedia-commons.ts";
import { createWikipedia } from "./providers/wikipedia.ts";

/** Dependencies of the search providers. */
export interface ProviderParts extends ProviderWeb {
  pages: PageIndex;
  /** How long a page stays in the own index; 0 when there is none. */
  indexRetentionMs: number;
  /** Admission to the own index. Default: every search is begun at once. */
  admit?: Admit | undefined;
  log?: ((event: LogEvent) => void) | undefined;
  /** Addresses by the names of providers, instead of their own. */
  urls: Readonly<Partial<Record<string, string>>>;
  searxngUrl: string | undefined;
  braveKey: string | undefined;
  serperKey: string | undefined;
  tavilyKey: string | undefined;
  exaKey: string | undefined;
  githubToken: string | undefined;
  cloudflare: WebSearchBinding | undefined;
  /** Undefined where there is no browser. */
  loadPage: LoadPage | undefined;
}

/** Every provider that this deployment can ask. src/docs/contributing.md lists the places of a new one. */
export function buildProviders(parts: ProviderParts): SearchProvider[] {
  const { pages, clock, admit, log, indexRetentionMs: retentionMs, githubToken, loadPage } = parts;
  const at = addressesOf(parts);
  const own = retentionMs === 0 ? [] : [createOwnIndex({ pages, clock, retentionMs, admit, log })];
  return [
    ...own,
    ...buildEngines(parts, at),
    createDuckduckgo(parts, { ...at("duckduckgo", "https://html.duckduckgo.com"), loadPage }),
    createWikipedia(parts, at("wikipedia", "https://{lang}.wikipedia.org")),
    createWikidata(parts, at("wikidata", "https://www.wikidata.org")),
    createGithub(parts, { ...at("github", "https://api.github.com"), token: githubToken }),
    createArxiv(parts, at("arxiv", "https://export.arxiv.org")),
    createOpenalex(parts, at("openalex", "https://api.openalex.org")),
    createCrossref(parts, at("crossref", "https://api.crossref.org")),
    createPubmed(parts, at("pubmed", "https://eutils.ncbi.nlm.nih.gov")),
    createHackerNews(parts, at("hacker-news", "https://hn.algolia.com")),
    createWikimediaCommons(parts, at("wikimedia-commons", "https://commons.wikimedia.org")),
    createOpenverse(parts, at("openverse", "https://api.openverse.org")),
    createGdelt(parts, at("gdelt", "https://api.gdeltproject.org")),
    createGovUk(parts, at("gov-uk", "https://www.gov.uk")),
    createFederalRegister(parts, at("federal-register", "https://www.federalregister.gov")),
  ];
}

/** Returns the address of a provider: that of the settings, otherwise its own. */
export type Addresses = (name: string, own: string) => { baseUrl: string };

export function addressesOf({ urls }: Pick<ProviderParts, "urls">): Addresses {
  return (name, own) => ({ baseUrl: (urls[name] ?? own).replace(/\/+$/, "") });
}

/** Engines of the whole web, each where it is set up. */
function buildEngines(parts: ProviderParts, at: Addresses): SearchProvider[] {
  const { searxngUrl, braveKey, serperKey, tavilyKey, exaKey, cloudflare, clock } = parts;
  return [
    ...(cloudflare === undefined ? [] : [createCloudflare(cloudflare, clock)]),
    ...(braveKey === undefined
      ? []
      : [createBrave(parts, { ...at("brave", "https://api.search.brave.com"), key: braveKey })]),
    ...(serperKey === undefined
      ? []
      : [createSerper(parts, { ...at("serper", "https://google.serper.dev"), key: serperKey })]),
    ...(exaKey === undefined ? [] : [createExa(parts, { ...at("exa", "https://api.exa.ai"), key: exaKey })]),
    ...(tavilyKey === undefined
      ? []
      : [createTavily(parts, { ...at("tavily", "https://api.tavily.com"), key: tavilyKey })]),
    ...(searxngUrl === undefined ? [] : [createSearxng(parts, at("searxng", searxngUrl))]),
  ];
}
