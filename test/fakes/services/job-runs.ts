import { beforeEach } from "vitest";
import type { Meter } from "../../../src/core/account/meter.ts";
import { compileRules } from "../../../src/core/crawl/crawl-scope.ts";
import { RunShares } from "../../../src/core/crawl/run-shares.ts";
import type { FrontierConfig } from "../../../src/core/crawl/frontier.ts";
import type { EngineOutcome } from "../../../src/core/scrape/page.ts";
import type { FairAdmission } from "../../../src/core/waits/fair-admission.ts";
import type { HeldBytes } from "../../../src/core/waits/held-bytes.ts";
import { crawl, type CrawlInput } from "../../../src/jobs/crawl/crawl.ts";
import type { JobKind, JobSpecification } from "../../../src/jobs/kind.ts";
import type { Frontiers, WorkRequest } from "../../../src/ports/crawl/frontier.ts";
import { JobRun } from "../../../src/services/crawl/run/job-run.ts";
import { V2_DEFAULTS } from "../../../src/services/scrape/scrape-plan.ts";
import { Frontier } from "../../../src/storage/crawl/frontier.ts";
import { nodeSql, type NodeSql } from "../memory/node-sql.ts";
import { testDeps } from "./test-deps.ts";

export const SITE = "http://old.example/docs/";
export const MOVED = "http://new.example/manual/";
export const PAGES = 40;

export const CONFIG: FrontierConfig = {
  limit: 30,
  maxConcurrency: 20,
  delayMs: 0,
  hasSeed: false,
  failsWhenEmpty: true,
  events: [],
  leaseMs: 12_000,
  expiresAtMs: 1e15,
};

/** What the runs of a test have asked their frontier for. */
interface Asked {
  sql: NodeSql;
  requests: WorkRequest[];
  /** Pages that each claim has leased ahead. */
  ahead: number[];
  /** URLs of the last claim. */
  claimed: string[];
}

export const asked: Asked = { sql: nodeSql(), requests: [], ahead: [], claimed: [] };
beforeEach(() => {
  asked.sql.close();
  Object.assign(asked, { sql: nodeSql(), requests: [], ahead: [], claimed: [] });
});

/** A site that has moved to another host and folder; every page leads to all others, and ends with HTML of the test. */
export async function load(url: string, more = ""): Promise<EngineOutcome> {
  const number = Number(/\d+$/.exec(url)?.[0] ?? 0);
  const links = Array.from({ length: PAGES }, (_, at) => `<li><a href="${MOVED}${at + 1}">Log ${at + 1}</a></li>`);
  const text =
    `On day ${number} the keeper of quay ${number * 7} wrote down what ${number * 3} gulls had done. `.repeat(8);
  const page = {
    engine: "fetch" as const,
    url: url === SITE ? MOVED : url,
    statusCode: 200,
    headers: {},
    contentType: "text/html",
    body: `<html><head><title>Log ${number}</title></head><body><main><h1>Log ${number}</h1><p>${text}</p><p>${more}</p></main><ul>${links.join("")}</ul></body></html>`,
    warnings: [],
  };
  return { kind: "loaded", page };
}

interface Options {
  cancelAfter?: number;
  put?: (key: string, body: Uint8Array) => Promise<void>;
  loadPage?: (url: string, cancel: () => void) => Promise<EngineOutcome>;
  /** Called with each request before it reaches the frontier. */
  beforeWork?: (request: WorkRequest) => void;
  robots?: () => Promise<never>;
  /** The queue's message by which a run is started, from 0; one for each run unless given. */
  messageId?: (run: number) => string;
  config?: Partial<FrontierConfig>;
  runShares?: RunShares;
  admission?: FairAdmission;
  waiting?: HeldBytes;
  meter?: Meter;
}

const MAX_RUNS = 20;

/** One consumer after the other at work on a frontier of its own, until the job ends. Time passes between them. */
export async function run({
  cancelAfter = Infinity,
  put = async () => undefined,
  loadPage = (url) => load(url),
  beforeWork,
  robots,
  messageId = (at) => `ticket ${at}`,
  config = {},
  runShares = new RunShares(),
  admission,
  waiting,
  meter,
}: Options = {}): Promise<Frontier> {
  const frontier = new Frontier(asked.sql);
  const start = { key: "start", url: SITE, depth: 0, isExternal: false, parent: undefined };
  let aheadMs = 0;
  const now = (): number => Date.now() + aheadMs;
  frontier.start({ ...CONFIG, ...config }, [start], now());
  const cancel = (): void => void frontier.cancel(now());
  const work: Frontiers["work"] = async (_, request) => {
    asked.requests.push(request);
    beforeWork?.(request);
    if (asked.requests.length === cancelAfter) frontier.cancel(now());
    if (request.completion !== undefined) frontier.complete(request.completion, now());
    frontier.renew(request.leaseIds, now());
    const claim =
      request.isLeaving === true || request.capacity === 0
        ? undefined
        : frontier.claim(request.capacity, now(), {
            held: { leaseIds: request.leaseIds, lastClaim: request.lastClaim ?? 0 },
            unreported: request.unreported ?? 0,
            ahead: request.ahead ?? 0,
          });
    if (claim !== undefined) {
      asked.ahead.push(claim.ahead ?? 0);
      asked.claimed = claim.items.map(({ url }) => url);
    }
    const template = request.knowsTemplate === true ? undefined : frontier.template();
    return {
      status: frontier.state()?.status ?? "failed",
      hasMore: request.capacity > 0 && frontier.hasMore(now()),
      ...(template === undefined ? {} : { template }),
      ...(claim === undefined
        ? {}
        : { claim: { ...claim, items: claim.items.map((item) => ({ ...item, startAtMs: 0 })) } }),
    };
  };
  const input: CrawlInput = {
    rules: compileRules(SITE, {}),
    sitemap: "skip",
    robotsAgent: robots && "Orbweaver",
    isLanded: false,
  };
  const specification = {
    id: "01a1fca9-c0e6-70a0-9c2a-f06008640789",
    kind: "crawl",
    key: { teamId: "team" },
    scrapeOptions: {},
    scrapeDefaults: V2_DEFAULTS,
    zeroDataRetention: false,
    publicOrigin: "http://service.example",
    createdAtMs: 0,
    input,
  } as unknown as JobSpecification;
  const deps = testDeps({
    clock: { now },
    engines: [{ engine: "fetch", provides: new Set(), load: (request) => loadPage(request.url, cancel) }],
    runShares,
    ...(admission && { admission }),
    ...(waiting && { waiting }),
    ...(meter && { meter }),
    ...(robots === undefined ? {} : { http: { request: robots } as never }),
    frontiers: { work } as unknown as Frontiers,
    blobs: { put } as never,
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, Math.min(ms, 5))),
  });
  for (let runs = 0; runs < MAX_RUNS && frontier.state()?.status === "scraping"; runs++) {
    const context = { deps, specification, kind: crawl as unknown as JobKind, messageId: messageId(runs) };
    await new JobRun(context).run(() => undefined).catch(() => undefined);
    aheadMs += Math.max(0, (frontier.outlook(now()).workMs ?? 0) - now());
    frontier.reap(now());
  }
  return frontier;
}
