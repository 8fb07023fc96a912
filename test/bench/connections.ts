import { mock } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Meter } from "../../src/core/account/meter.ts";
import { batchEntries, messagesNeeded, PAGES_PER_MESSAGE } from "../../src/core/crawl/dispatch.ts";
import { createPlainFetchEngine } from "../../src/engines/plain-fetch.ts";
import { batchScrape } from "../../src/jobs/crawl/batch-scrape.ts";
import type { JobSpecification } from "../../src/jobs/kind.ts";
import { OpenRuns } from "../../src/platform/crawl/open-runs.ts";
import { ConnectionSlots } from "../../src/platform/outbound/connection-slots.ts";
import { createDohResolver, type DnsCache } from "../../src/platform/outbound/doh-resolver.ts";
import { createGuardedFetch } from "../../src/platform/outbound/guarded-fetch.ts";
import { createOutboundGuard } from "../../src/platform/outbound/outbound-guard.ts";
import type { Frontiers } from "../../src/ports/crawl/frontier.ts";
import { JobRun } from "../../src/services/crawl/run/job-run.ts";
import { V2_DEFAULTS } from "../../src/services/scrape/scrape-plan.ts";
import { Frontier } from "../../src/storage/crawl/frontier.ts";
import { memoryBlobs } from "../fakes/memory/memory-blobs.ts";
import { memoryHostThrottle } from "../fakes/memory/memory-host-throttle.ts";
import { nodeSql } from "../fakes/memory/node-sql.ts";
import { noTelemetry } from "../fakes/no-telemetry.ts";
import { testDeps } from "../fakes/services/test-deps.ts";
import { Invocation } from "../platform/invocation.ts";
import { table } from "./load/table.ts";

const USAGE = `npm run bench -- connections [flags]

  --pages 240           pages of each crawl
  --concurrency 50      pages of the crawl at a time, in runs of ${PAGES_PER_MESSAGE}
  --waits 50,200,500    milliseconds of a site to the first byte
  --hosts 1,50          number of hosts that the pages are on
  --slots 5             slots for sites in an invocation; 100 shows what the platform holds back without them

Crawls in this process, with runs that are invocations of their own: six requests of each wait for response headers, and
the platform holds back the seventh. R2 and DNS are 20 ms away, objects 5 ms. The pages of one run share its slots. Time is
simulated: it passes by waiting alone, as if each run had a processor of its own.`;

const { values: flags } = parseArgs({
  options: {
    pages: { type: "string", default: "240" },
    concurrency: { type: "string", default: "50" },
    waits: { type: "string", default: "50,200,500" },
    hosts: { type: "string", default: "1,50" },
    slots: { type: "string", default: "5" },
    help: { type: "boolean", default: false },
  },
});

const STORE_MS = 20;
const OBJECT_MS = 5;
const PAGE = `<title>Tides</title><main><h1>Tides</h1>${"<p>The tide turns twice a day in the harbour of the bay.</p>".repeat(40)}</main>`;
const clock = { now: () => Date.now() };

interface Site {
  hosts: number;
  /** Milliseconds to the first byte. */
  waitMs: number;
}

interface Measured {
  pages: number;
  seconds: number;
  runs: number;
  /** Requests that the platform held back. */
  heldBack: number;
  /** Milliseconds that a request waited for a slot, on average. */
  slotWaitMs: number;
  /** Rows written by the frontier, objects put in R2, and calls of the frontier, without the throttle's and the index's. */
  written: Written;
}

interface Written {
  rows: number;
  puts: number;
  calls: number;
}

const pageUrl = (page: number, hosts: number): string => `https://site-${page % hosts}.example/page/${page}`;

/** In simulated time, which does not reach the timers of imported modules. */
function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** Turns of the event loop in each simulated millisecond, in which work that waits for nothing gets on. */
const TURNS_A_MS = 12;

/** Lets simulated time pass until the work has ended. */
async function inSimulatedTime<Result>(work: () => Promise<Result>): Promise<Result> {
  mock.timers.enable({ apis: ["setTimeout", "Date"], now: Date.now() });
  try {
    const state = { isOver: false };
    const working = work().finally(() => (state.isOver = true));
    working.catch(() => undefined);
    while (!state.isOver) {
      for (let turns = 0; turns < TURNS_A_MS; turns++) await turn();
      mock.timers.tick(1);
    }
    return await working;
  } finally {
    mock.timers.reset();
  }
}

async function crawl({ hosts, waitMs }: Site): Promise<Measured> {
  const sql = nodeSql();
  const frontier = new Frontier(sql);
  const maxConcurrency = Number(flags.concurrency);
  const urls = Array.from({ length: Number(flags.pages) }, (_, page) => pageUrl(page, hosts));
  const config = { limit: undefined, maxConcurrency, delayMs: 0, hasSeed: false, failsWhenEmpty: false, events: [], leaseMs: 12_000, expiresAtMs: 1e15 }; // prettier-ignore
  frontier.start(config, batchEntries(urls, 0), Date.now());
  const names: DnsCache = new Map();
  const invocations: Invocation[] = [];
  const slotWaits: number[] = [];
  const written: Written = { rows: 0, puts: 0, calls: 0 };
  const open = new OpenRuns();

  const startedAtMs = Date.now();
  const running = new Set<Promise<unknown>>();
  while (frontier.state()?.status === "scraping") {
    const { claimable } = frontier.outlook(Date.now());
    const wanted = messagesNeeded({ claimable, maxConcurrency, open: running.size, room: Infinity });
    for (let started = 0; started < wanted; started++) {
      const invocation = new Invocation();
      invocations.push(invocation);
      const run = runOnce(frontier, {
        invocation,
        waitMs,
        names,
        slotWaits,
        written,
        open,
        messageId: `run-${invocations.length}`,
      });
      const ended = run.finally(() => running.delete(ended));
      running.add(ended);
    }
    await Promise.race([...running, sleep(50)]);
  }
  await Promise.all(running);
  const seconds = (Date.now() - startedAtMs) / 1000;
  const pages = frontier.state()?.counters.completed ?? 0;
  written.rows = sql.rows<{ rows: number }>("SELECT total_changes() AS rows")[0]?.rows ?? Number.NaN;
  sql.close();
  return {
    written,
    pages,
    seconds,
    runs: invocations.length,
    heldBack: invocations.reduce((sum, invocation) => sum + invocation.heldBack, 0),
    slotWaitMs: slotWaits.reduce((sum, ms) => sum + ms, 0) / Math.max(1, slotWaits.length),
  };
}

interface RunParts {
  invocation: Invocation;
  waitMs: number;
  names: DnsCache;
  slotWaits: number[];
  written: Written;
  /** The runs that the frontier's object has heard of. */
  open: OpenRuns;
  messageId: string;
}

/** One worker run, as an invocation with connections of its own. */
async function runOnce(
  frontier: Frontier,
  { invocation, waitMs, names, slotWaits, written, open, messageId }: RunParts,
): Promise<void> {
  const slots = new ConnectionSlots(Number(flags.slots));
  const after = async (ms: number, response: () => Response): Promise<Response> => {
    await sleep(ms);
    return response();
  };
  const resolve = (): Promise<Response> =>
    after(STORE_MS, () => Response.json({ Status: 0, Answer: [{ type: 1, TTL: 60, data: "93.184.215.14" }] }));
  const load = (): Promise<Response> =>
    after(waitMs, () => new Response(PAGE, { headers: { "content-type": "text/html" } }));
  const resolver = createDohResolver({
    url: "https://dns.example/dns-query",
    clock,
    cache: names,
    slots,
    fetcher: () => invocation.connect(resolve),
  });
  const http = createGuardedFetch({
    guard: createOutboundGuard({ allowPrivateHosts: [], resolver }),
    clock,
    meter: new Meter(),
    slots,
    movesDeadlines: true,
    telemetry: { count: () => undefined, observe: (_, __, ms) => void slotWaits.push(ms) },
    fetcher: () => invocation.connect(load),
  });
  const blobs = memoryBlobs();
  const deps = testDeps({
    clock,
    engines: [createPlainFetchEngine(http, { userAgent: "bench", maxBodyBytes: 1_000_000 })],
    frontiers: { work: workOf(frontier, { written, open }) } as unknown as Frontiers,
    blobs: {
      ...blobs,
      put: (...args) => {
        written.puts++;
        return invocation.connect(() => sleep(STORE_MS).then(() => blobs.put(...args)));
      },
    },
    hostThrottle: memoryHostThrottle(clock),
    telemetry: noTelemetry(),
    sleep: (ms) => sleep(ms),
  });
  const specification = {
    id: "01a1fca9-c0e6-70a0-9c2a-f06008640789",
    kind: "batch_scrape",
    key: { id: "key", teamId: "team" },
    scrapeOptions: { maxAge: 0 },
    scrapeDefaults: V2_DEFAULTS,
    zeroDataRetention: false,
    publicOrigin: "http://service.example",
    createdAtMs: 0,
    input: undefined,
  } as unknown as JobSpecification;
  await new JobRun({ deps, specification, kind: batchScrape, messageId }).run(() => undefined);
}

/** The calls of a run to the frontier's object. */
function workOf(frontier: Frontier, { written, open }: Pick<RunParts, "written" | "open">): Frontiers["work"] {
  return async (_, request) => {
    written.calls++;
    await sleep(OBJECT_MS);
    const nowMs = Date.now();
    if (request.isLeaving === true) open.delete(request.messageId);
    else open.note(request.messageId, nowMs, request.unreported);
    const held = { leaseIds: request.leaseIds, lastClaim: request.lastClaim ?? 0 };
    const isLeaving = request.isLeaving === true || request.capacity === 0;
    let claim: ReturnType<Frontier["claim"]>;
    frontier.together(nowMs, () => {
      if (request.completion !== undefined) frontier.complete(request.completion, nowMs);
      if (request.leaseIds.length > 0) frontier.renew(request.leaseIds, nowMs);
      if (!isLeaving) {
        const { unreported } = open;
        claim = frontier.claim(request.capacity, nowMs, { held, unreported, ahead: request.ahead ?? 0 });
      }
    });
    if (claim?.ahead !== undefined) open.note(request.messageId, nowMs, (request.unreported ?? 0) + claim.ahead);
    const items = claim?.items.map((item) => ({ ...item, startAtMs: 0 })) ?? [];
    return {
      status: frontier.state()?.status ?? "failed",
      hasMore: !isLeaving && frontier.hasMore(nowMs),
      ...(claim === undefined ? {} : { claim: { ...claim, items } }),
    };
  };
}

async function bench(): Promise<void> {
  const numbers = (list: string): number[] => list.split(",").map(Number);
  const rows: (string | number)[][] = [];
  await inSimulatedTime(() => crawl({ hosts: 1, waitMs: 1 }));
  for (const hosts of numbers(flags.hosts)) {
    for (const waitMs of numbers(flags.waits)) {
      const { pages, seconds, runs, heldBack, slotWaitMs, written } = await inSimulatedTime(() =>
        crawl({ hosts, waitMs }),
      );
      const perRun = pages / seconds / Math.ceil(Number(flags.concurrency) / PAGES_PER_MESSAGE);
      rows.push([`${hosts} host${hosts === 1 ? "" : "s"}, ${waitMs} ms`, pages, pages / seconds, perRun, runs, slotWaitMs, heldBack, written.rows / pages, written.puts / pages, written.calls / pages]); // prettier-ignore
    }
  }
  const head = ["first byte", "pages", "pages/s", "pages/s of a run", "runs", "wait for a slot, ms", "held back", "rows/page", "puts/page", "calls/page"]; // prettier-ignore
  console.log(`${flags.slots} slots of six connections, ${flags.concurrency} pages at a time\n\n${table(head, rows)}`);
}

if (flags.help) console.log(USAGE);
else await bench();
