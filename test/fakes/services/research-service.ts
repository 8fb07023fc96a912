import { buildPaperSources } from "../../../src/search/papers/index.ts";
import { createGithubIndex } from "../../../src/search/developer/github-index.ts";
import { addressesOf, buildProviders, type ProviderParts } from "../../../src/search/index.ts";
import type { Http } from "../../../src/ports/outbound/http.ts";
import type { ServiceSettings } from "../../../src/services/deps.ts";
import { fixedClock } from "../fixed-clock.ts";
import { memoryFeedback } from "../memory/memory-feedback.ts";
import { memoryPageIndex, noPauses } from "../memory/memory-page-index.ts";
import { researchReply } from "../upstream/research-replies.ts";
import { testApp } from "./test-app.ts";
import { testDeps } from "./test-deps.ts";

/** A reply of a provider in place of its usual one. */
export interface OddReply {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

/** The names of the providers whose addresses the service is given. */
const PROVIDERS = ["openalex", "arxiv", "crossref", "pubmed", "github", "gov-uk", "federal-register", "hacker-news",
  "wikidata", "gdelt"]; // prettier-ignore

/**
 * A service whose providers are made up; `odd` replaces replies by provider, and `asked` shows the requests without the
 * providers' addresses.
 */
export function researchService({
  odd = {},
  settings = {},
  ...ports
}: {
  odd?: Record<string, OddReply | ((path: string) => OddReply | undefined)>;
  settings?: Partial<ServiceSettings>;
} & Parameters<typeof testDeps>[0] = {}) {
  const asked: string[] = [];
  const clock = fixedClock();
  const http: Http = {
    async request({ url, headers = {} }) {
      const { hostname, pathname, search } = new URL(url);
      const provider = hostname.replace(".example", "");
      const path = `${pathname}${search}`;
      asked.push(`${provider} ${decodeURIComponent(path.replaceAll("+", " "))}`);
      const replaced = odd[provider];
      const reply = typeof replaced === "function" ? replaced(path) : replaced;
      const usual = reply === undefined ? researchReply(provider, path) : undefined;
      const { status, body = "" } = reply ?? { status: usual === undefined ? 404 : 200, body: usual?.body ?? "" };
      const response = { url, statusCode: status, headers: { ...reply?.headers }, redirects: 0 };
      void headers;
      return { kind: "response", response: { ...response, body: new TextEncoder().encode(body) } };
    },
  };
  const pages = memoryPageIndex();
  const parts: ProviderParts = {
    http, clock, pages,
    userAgent: "Test", ownHosts: [], indexRetentionMs: 86_400_000,
    urls: Object.fromEntries(PROVIDERS.map((name) => [name, `https://${name}.example`])),
    searxngUrl: undefined, braveKey: undefined, serperKey: undefined, tavilyKey: undefined, exaKey: undefined,
    githubToken: undefined, cloudflare: undefined, loadPage: undefined,
  }; // prettier-ignore
  const at = addressesOf(parts);
  const pauses = noPauses();
  const deps = testDeps({
    clock,
    pageIndex: pages,
    providerPauses: pauses,
    feedback: memoryFeedback(),
    searchProviders: buildProviders(parts),
    paperSources: buildPaperSources(parts, at),
    githubIndex: createGithubIndex(parts, { ...at("github", ""), token: undefined }),
    defer: (work) => void work.catch(() => undefined),
    settings,
    ...ports,
  });
  const { ask, post } = testApp(deps);
  const read = async (response: Response) => ({ status: response.status, body: (await response.json()) as Answer });
  return {
    deps,
    clock,
    pages,
    pauses,
    asked,
    get: async (path: string) => read(await ask(path)),
    post: async (path: string, body: object, headers: Record<string, string> = {}) =>
      read(await post(path, body, { headers })),
  };
}

/** A response; tests look at it field by field. */
export interface Answer {
  success: boolean;
  error?: string;
  code?: string;
  detail?: string;
  warning?: string;
  creditsUsed?: number;
  receipt?: { credits: number };
  results: Record<string, unknown>[];
  [field: string]: unknown;
}
