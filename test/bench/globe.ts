import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Meter, NO_COUNTS } from "../../src/core/account/meter.ts";
import type { Engine } from "../../src/engines/engine.ts";
import type { KeyLedger } from "../../src/platform/account/key-ledger.ts";
import { createKeyLedger } from "../../src/platform/account/key-ledger-port.ts";
import { KeyLeases } from "../../src/platform/account/key-leases.ts";
import { overriding } from "../../src/platform/metering/overriding.ts";
import type { LocalCache } from "../../src/ports/storage/local-cache.ts";
import { createOwnIndex } from "../../src/search/providers/web/own-index.ts";
import type { Deps } from "../../src/services/deps.ts";
import { createApiKeyStore } from "../../src/storage/account/api-keys.ts";
import { KeyLedgerRecord } from "../../src/storage/account/key-ledger-record.ts";
import { createIdempotencyKeys } from "../../src/storage/jobs/idempotency-keys.ts";
import { createJobStore } from "../../src/storage/jobs/jobs.ts";
import { createFeedbackStore } from "../../src/storage/search/feedback.ts";
import { createProviderPauses } from "../../src/storage/search/provider-pauses.ts";
import { withNearDocuments } from "../../src/storage/scrape/near-documents.ts";
import { memoryBlobs } from "../fakes/memory/memory-blobs.ts";
import { memoryFiles } from "../fakes/memory/memory-scrapes.ts";
import { memoryLedgerObject } from "../fakes/memory/memory-ledger-object.ts";
import { memoryIndexShards, memoryPageIndex } from "../fakes/memory/memory-page-index.ts";
import { memoryPageStore, memoryShards } from "../fakes/memory/memory-page-store.ts";
import { nodeSql } from "../fakes/memory/node-sql.ts";
import { nodeD1 } from "../fakes/memory/node-d1.ts";
import { testApp } from "../fakes/services/test-app.ts";
import { testDeps } from "../fakes/services/test-deps.ts";
import { ledgerCosts } from "./load/ledger-costs.ts";
import { table } from "./load/table.ts";

const USAGE = `npm run bench -- globe [flags]

  --near 2      milliseconds of a call to a store beside the caller
  --far 270     milliseconds of a call to a store across an ocean
  --rounds 3    requests of each kind; the median counts

Runs the routes and stores of the service in this process, with every call to D1, R2 and an object delayed as if it were
near or far, and the cache of the data centre without delay. Sequential trips are the difference of both latencies by the
difference of both delays; a fresh scrape waits up to 200 ms for its row, which counts as most of one. Sites answer at once. A second table has the costs of the
ledger by the rate of a key, in simulated time.`;

const { values: flags } = parseArgs({
  options: {
    near: { type: "string", default: "2" },
    far: { type: "string", default: "270" },
    rounds: { type: "string", default: "3" },
    help: { type: "boolean", default: false },
  },
});

type Trip = <Result>(call: () => Promise<Result>) => Promise<Result>;

const PAGE = `<title>Tides</title><article><h1>Tides</h1>${"<p>The tide turns twice a day in the harbour of the bay.</p>".repeat(40)}</article>`;

/** Every method of a port behind a trip. */
function delayed<Port extends object>(port: Port, trip: Trip): Port {
  return new Proxy(port, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => trip(async () => (await Reflect.apply(member, target, args)) as unknown);
    },
  });
}

/** A database whose statements and batches take a trip each. */
function delayedDatabase(db: D1Database, trip: Trip): D1Database {
  const statement = (inner: D1PreparedStatement): D1PreparedStatement =>
    overriding<D1PreparedStatement>(inner, {
      bind: (...values) => statement(inner.bind(...values)),
      run: <Row>() => trip(() => inner.run<Row>()),
      first: ((column: string) => trip(() => inner.first(column))) as D1PreparedStatement["first"],
    });
  const methods = {
    prepare: (query: string) => statement(db.prepare(query)),
    batch: <Row>(statements: D1PreparedStatement[]) => trip(() => db.batch<Row>(statements)),
  };
  // The sessions of the memory database have these two methods alone.
  return overriding<D1Database>(db, { ...methods, withSession: () => methods as unknown as D1DatabaseSession });
}

function memoryCache(): LocalCache {
  const entries = new Map<string, string>();
  return {
    get: async (key) => entries.get(key),
    put: async (key, text) => void entries.set(key, text),
    delete: async (key) => void entries.delete(key),
  };
}

/** The service with stores in memory that are `ms` away, in one data centre or, with another cache, in several. */
function openService(ms: number) {
  let calls = 0;
  const trip: Trip = async (call) => {
    calls += 1;
    await sleep(ms);
    return await call();
  };
  const clock = { now: () => Date.now() };
  const meter = new Meter();
  const database = delayedDatabase(nodeD1(), trip);
  const deferred: Promise<unknown>[] = [];
  const defer = (work: Promise<unknown>): void => void deferred.push(work.catch(() => undefined));
  const shards = memoryShards();
  const indexes = memoryIndexShards();
  const stores = memoryPageStore({
    shard: (name) => delayed(shards.shard(name), trip),
    blobs: delayed(memoryBlobs(), trip),
  });
  const engine: Engine = {
    engine: "fetch",
    provides: new Set(),
    load: async ({ url }) => ({
      kind: "loaded",
      page: { engine: "fetch", url, statusCode: 200, headers: {}, contentType: "text/html", body: PAGE, warnings: [] },
    }),
  };
  const records = new Map<string, KeyLedgerRecord>();
  const ledgers = {
    getByName: (keyId: string) =>
      memoryLedgerObject((_name, run) => {
        const record = records.get(keyId) ?? new KeyLedgerRecord(nodeSql(), clock.now());
        records.set(keyId, record);
        return trip(async () => run(record, clock.now()));
      }),
  };
  const pageIndex = memoryPageIndex({ shard: (name) => delayed(indexes.shard(name), trip) });
  // Deferred work that waits for a time, such as the end of a lease, is none that `settle` waits for.
  const sleepDeferred = (wait: number) => (wait > 500 ? new Promise<void>(() => undefined) : sleep(wait));
  const background = (work: Promise<unknown>): void => void work.catch(() => undefined);
  /** The ledger as an isolate sees it, which has no leases yet. */
  const ledgerOfIsolate = () => {
    const leases = { leases: new KeyLeases(), clock, sleep: sleepDeferred, defer: background };
    // The port uses no more of a namespace than this.
    return createKeyLedger(ledgers as unknown as DurableObjectNamespace<KeyLedger>, meter, leases);
  };
  const deps = {
    pageIndex, clock, meter, defer: (work: Promise<unknown>) => defer(Promise.race([work, sleep(2 * ms + 500)])), engines: [engine], files: memoryFiles(),
    keys: createApiKeyStore(database), sleep: (wait: number) => sleep(wait), jobs: createJobStore(database),
    idempotencyKeys: createIdempotencyKeys(database), frontiers: delayed(FRONTIERS, trip), blobs: memoryBlobs(),
    providerPauses: createProviderPauses(database), feedback: createFeedbackStore(database),
    searchProviders: [createOwnIndex({ pages: pageIndex, clock, retentionMs: 86_400_000 })],
  }; // prettier-ignore
  const cacheMs = 7 * 86_400_000;
  /** A data centre: an isolate with a cache of its own, which knows no key yet. */
  const dataCentre = () =>
    testApp(
      testDeps({
        ...deps,
        keyLedger: ledgerOfIsolate(),
        ...withNearDocuments(stores, { cache: memoryCache(), defer, cacheMs }),
      }),
    );
  /** Waits for what runs after the responses, which then counts for none of them. */
  const settle = async (): Promise<void> => {
    while (deferred.length > 0) await Promise.all(deferred.splice(0));
  };
  return { dataCentre, settle, calls: () => calls };
}

/** The object of a job that has no pages yet. */
const FRONTIERS = {
  start: async () => true,
  documents: async () => ({
    progress: { status: "scraping", createdAtMs: 0, expiresAtMs: 9_000_000_000_000, creditsUsed: 0, total: 1, limit: 10, completed: 0, failed: 0, pending: 1, skipped: 0, discovered: 1, pageTimes: { stepMs: 1_000, counts: [] }, costs: NO_COUNTS, rowsWritten: 0, messagesSent: 0 },
    runs: [],
    count: 0,
  }),
} as unknown as Deps["frontiers"]; // prettier-ignore

type Service = ReturnType<typeof openService>;
type Ask = () => Promise<Response>;

/** An endpoint: what happens before the request that is measured, and the request. */
const ENDPOINTS: { name: string; prepare(service: Service, round: number): Promise<Ask> }[] = [
  {
    name: "GET /health",
    async prepare(service) {
      const { ask } = service.dataCentre();
      return () => Promise.resolve(ask("/health"));
    },
  },
  {
    name: "fresh scrape, key not known to the isolate",
    async prepare(service, round) {
      // The first key of a deployment is created when it is first used.
      await warm(service);
      const { post } = service.dataCentre();
      return () => post("/v2/scrape", { url: `https://a.example/new/${round}`, maxAge: 0 });
    },
  },
  {
    name: "fresh scrape",
    async prepare(service, round) {
      const { post } = await warm(service);
      return () => post("/v2/scrape", { url: `https://a.example/fresh/${round}`, maxAge: 0 });
    },
  },
  {
    name: "scrape that the cache has not",
    async prepare(service, round) {
      const { post } = await warm(service);
      return () => post("/v2/scrape", { url: `https://a.example/miss/${round}` });
    },
  },
  {
    name: "cached scrape, held by the object",
    async prepare(service) {
      await scrape(await warm(service));
      await service.settle();
      const { post } = await warm(service);
      return () => post("/v2/scrape", { url: "https://a.example/kept" });
    },
  },
  {
    name: "cached scrape, held by the data centre",
    async prepare(service) {
      const centre = await warm(service);
      await scrape(centre);
      await scrape(centre);
      await service.settle();
      return () => centre.post("/v2/scrape", { url: "https://a.example/kept" });
    },
  },
  {
    name: "cached scrape, held by the data centre, key with a lease",
    async prepare(service) {
      const centre = await warm(service);
      for (let request = 0; request < LEASED_FROM; request++) await scrape(centre);
      await service.settle();
      return () => centre.post("/v2/scrape", { url: "https://a.example/kept" });
    },
  },
  {
    name: "fresh scrape, key with a lease",
    async prepare(service, round) {
      const centre = await warm(service);
      for (let request = 0; request < LEASED_FROM; request++) await scrape(centre);
      await service.settle();
      return () => centre.post("/v2/scrape", { url: `https://a.example/leased/${round}`, maxAge: 0 });
    },
  },
  {
    name: "GET /v2/scrape/{id}",
    async prepare(service) {
      const centre = await warm(service);
      const id = await scrape(centre);
      return () => Promise.resolve(centre.ask(`/v2/scrape/${id}`));
    },
  },
  {
    name: "GET /v2/crawl/{id}, first time in an isolate",
    async prepare(service) {
      const { ask, post } = await warm(service);
      const { id } = (await (await post("/v2/crawl", { url: "https://a.example/" })).json()) as { id: string };
      return () => Promise.resolve(ask(`/v2/crawl/${id}`));
    },
  },
  {
    name: "GET /v2/crawl/{id}, again",
    async prepare(service) {
      const { ask, post } = await warm(service);
      const { id } = (await (await post("/v2/crawl", { url: "https://a.example/" })).json()) as { id: string };
      await (await ask(`/v2/crawl/${id}`)).text();
      return () => Promise.resolve(ask(`/v2/crawl/${id}`));
    },
  },
  {
    name: "POST /v2/search, own index",
    async prepare(service) {
      const { post } = await warm(service);
      await (await post("/v2/search", { query: "tide" })).text();
      return () => post("/v2/search", { query: "tide" });
    },
  },
  {
    name: "GET /v2/team/credit-usage",
    async prepare(service) {
      const { ask } = await warm(service);
      return () => Promise.resolve(ask("/v2/team/credit-usage"));
    },
  },
];

/** Requests after which a key has a lease, which the last of them has brought. */
const LEASED_FROM = 9;

type Centre = ReturnType<Service["dataCentre"]>;

/** A data centre whose isolate knows the key. */
async function warm(service: Service): Promise<Centre> {
  const centre = service.dataCentre();
  await (await centre.ask("/v2/team/credit-usage")).text();
  await service.settle();
  return centre;
}

async function scrape({ post }: Centre): Promise<string> {
  const response = await post("/v2/scrape", { url: "https://a.example/kept" });
  const { data } = (await response.json()) as { data: { metadata: { scrapeId: string } } };
  return data.metadata.scrapeId;
}

interface Measured {
  ms: number;
  calls: number;
  status: number;
}

async function measure(ms: number, { prepare }: (typeof ENDPOINTS)[number]): Promise<Measured> {
  const measured: Measured[] = [];
  for (let round = 0; round <= Number(flags.rounds); round++) {
    const service = openService(ms);
    const ask = await prepare(service, round);
    await service.settle();
    const before = service.calls();
    const startedAt = performance.now();
    const response = await ask();
    await response.text();
    measured.push({ ms: performance.now() - startedAt, calls: service.calls() - before, status: response.status });
    await service.settle();
  }
  // The first round compiles the code.
  const sorted = measured.slice(1).toSorted((left, right) => left.ms - right.ms);
  return sorted[Math.floor(sorted.length / 2)] ?? { ms: Number.NaN, calls: 0, status: 0 };
}

async function bench(): Promise<void> {
  const [nearMs, farMs] = [Number(flags.near), Number(flags.far)];
  const rows: (string | number)[][] = [];
  for (const endpoint of ENDPOINTS) {
    const near = await measure(nearMs, endpoint);
    const far = await measure(farMs, endpoint);
    const trips = Math.max(0, Math.round((far.ms - near.ms) / (farMs - nearMs)));
    rows.push([endpoint.name, trips, far.calls, near.ms, far.ms, far.status === 200 ? "" : `status ${far.status}`]);
  }
  const head = ["", "sequential trips", "calls before the response", "near ms", "far ms", ""];
  const costs = await ledgerCosts();
  console.log(
    `Stores ${nearMs} ms away and ${farMs} ms away\n\n${table(head, rows)}\n\nAdmission and record\n${costs}`,
  );
}

if (flags.help) console.log(USAGE);
else await bench();
