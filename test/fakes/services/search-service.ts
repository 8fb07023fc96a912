import type { EngineOutcome } from "../../../src/core/scrape/page.ts";
import type { Task } from "../../../src/core/jobs/task.ts";
import type { Engine } from "../../../src/engines/engine.ts";
import { parseProviderOrder } from "../../../src/search/provider-order.ts";
import type { SearchHit, SearchProvider } from "../../../src/search/provider.ts";
import type { ServiceSettings } from "../../../src/services/deps.ts";
import { fixedClock } from "../fixed-clock.ts";
import { memoryFeedback } from "../memory/memory-feedback.ts";
import { emptyPageCache, memoryFiles, memoryScrapes } from "../memory/memory-scrapes.ts";
import { testApp } from "./test-app.ts";
import { testDeps } from "./test-deps.ts";

/** An item of an answer, with what a scrape may add to it. */
export interface FoundItem {
  url: string;
  title: string;
  description: string;
  markdown: string;
  links: string[];
  metadata: { statusCode?: number; error?: string; scrapeId: string; sourceURL: string };
}

/** What a search answers; the cast in `search` says that tests then look at it field by field. */
export interface SearchReply {
  success: boolean;
  data: { web: FoundItem[]; news: FoundItem[] };
  id: string;
  creditsUsed: number;
  warning?: string;
  receipt: { credits: number };
  scrapeIds: { web: string[] };
}

const FILLER = "The harbour has a quay, a crane and a lighthouse. ".repeat(8);
const ARTICLE = (url: string): string =>
  `<title>At ${url}</title><article><h1>Ferry</h1><p>${FILLER}</p><p>The ferry to Skell leaves at nine.</p></article>`;

/** Pages by their URL; what is not listed hangs. */
function engineOf(pages: Record<string, EngineOutcome | "hangs">): Engine & { loaded: string[] } {
  const loaded: string[] = [];
  return {
    engine: "fetch",
    provides: new Set(["screenshot", "browser", "actions", "branding"]),
    loaded,
    async load({ url }) {
      loaded.push(url);
      const outcome = pages[url] ?? page(url);
      if (outcome !== "hangs") return outcome;
      await new Promise((resolve) => setTimeout(resolve, 1000));
      return { kind: "failed", code: "SCRAPE_TIMEOUT", message: "It hung" };
    },
  };
}

/** A page that loads. */
export function page(url: string): EngineOutcome {
  const [engine, contentType] = ["fetch" as const, "text/html"];
  return {
    kind: "loaded",
    page: { engine, url, statusCode: 200, headers: {}, contentType, body: ARTICLE(url), warnings: [] },
  };
}

export const hit = (url: string, fields: Partial<SearchHit> = {}): SearchHit => ({
  url,
  title: url,
  description: "As found",
  ...fields,
});

/** A service whose one provider finds these, and whose pages load as told. */
export function searchService(
  hits: SearchHit[],
  {
    pages = {},
    settings = {},
  }: { pages?: Record<string, EngineOutcome | "hangs">; settings?: Partial<ServiceSettings> } = {},
) {
  const clock = fixedClock();
  const engine = engineOf(pages);
  const provider: SearchProvider = {
    name: "brave",
    places: new Set(["web", "images", "news", "github", "research", "pdf", "developer"]),
    fulfils: new Set(["tbs", "lang", "country", "location", "safe", "filter"]),
    search: async () => ({ kind: "answered", hits }),
  };
  const deferred: Promise<unknown>[] = [];
  const tasks: Task[] = [];
  const scrapes = memoryScrapes();
  const deps = testDeps({
    clock,
    scrapes,
    pageCache: emptyPageCache(),
    files: memoryFiles(),
    feedback: memoryFeedback(),
    engines: [engine],
    searchProviders: [provider],
    tasks: { send: async (task) => void tasks.push(task), sendAll: async (more) => void tasks.push(...more) },
    // A page that hangs is given up at once.
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, Math.min(ms, 500))),
    defer: (work) => void deferred.push(work.catch(() => undefined)),
    settings: { searchOrder: parseProviderOrder("brave"), ...settings },
  });
  const { post, ask } = testApp(deps);
  const search = async (body: object, path = "/v2/search") => {
    const response = await post(path, { query: "ferry Skell", ...body });
    const answer = (await response.json()) as SearchReply;
    await Promise.all(deferred);
    return { status: response.status, answer };
  };
  return { deps, clock, engine, scrapes, tasks, post, ask, search };
}
