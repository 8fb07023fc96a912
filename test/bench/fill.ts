import { parseArgs } from "node:util";
import { Meter } from "../../src/core/account/meter.ts";
import type { Engine } from "../../src/engines/engine.ts";
import { meteredDatabase } from "../../src/platform/metering/metered-database.ts";
import { MAX_DATABASE_BYTES, WatchedDatabase } from "../../src/platform/metering/watched-database.ts";
import { createOwnIndex } from "../../src/search/providers/web/own-index.ts";
import { DEFAULT_TEAM_ID } from "../../src/services/account/bootstrap-keys.ts";
import type { Deps } from "../../src/services/deps.ts";
import { createApiKeyStore } from "../../src/storage/account/api-keys.ts";
import { createIdempotencyKeys } from "../../src/storage/jobs/idempotency-keys.ts";
import { createJobList } from "../../src/storage/jobs/job-list.ts";
import { createJobStore } from "../../src/storage/jobs/jobs.ts";
import { createChangeHistory } from "../../src/storage/scrape/change-history.ts";
import { PageShard } from "../../src/storage/scrape/page-shard.ts";
import { createPageStore } from "../../src/storage/scrape/page-store.ts";
import { INDEX_LIMITS, type IndexLimits } from "../../src/storage/search/page-index.ts";
import { fixedClock } from "../fakes/fixed-clock.ts";
import { memoryBlobs } from "../fakes/memory/memory-blobs.ts";
import { memoryFeedback } from "../fakes/memory/memory-feedback.ts";
import { memoryIndexShards, memoryPageIndex } from "../fakes/memory/memory-page-index.ts";
import { memoryFiles } from "../fakes/memory/memory-scrapes.ts";
import { nodeD1 } from "../fakes/memory/node-d1.ts";
import { nodeSql, sizeOfDatabase, type NodeSql } from "../fakes/memory/node-sql.ts";
import { testApp } from "../fakes/services/test-app.ts";
import { ADMIN_KEY, testDeps } from "../fakes/services/test-deps.ts";
import { articlePage } from "./load/article-pages.ts";
import { table } from "./load/table.ts";

const USAGE = `npm run bench -- fill [flags]

  --pages 300    pages of each part

Runs the routes and stores of the service in this process, over SQLite in memory. First it measures what a page leaves in each
store, and prints at how many pages a day, stored for 30 days, each store ends. Then it makes the stores small (1 MB for the
database, 1 MB for the object of the index) and scrapes, creates keys, starts crawls and searches until they are full.
It fails when one of these fails, when a result cannot be read back, or when a shortage is not reported.`;

const { values: flags } = parseArgs({
  options: { pages: { type: "string", default: "300" }, help: { type: "boolean", default: false } },
});

const DAY_MS = 86_400_000;
const DAYS = 30;
const OBJECT_BYTES = 10_000_000_000;
/** Objects of a team's results and cached pages, and the size above which their bodies go to R2. */
const PAGE_OBJECTS = 64;
const PAGE_OBJECT_BYTES = 8_000_000_000;

interface Limits {
  databaseBytes: number;
  index: IndexLimits;
  htmlBytes: number;
}

/** The service over SQLite in memory, whose stores have these limits. */
function openService({ databaseBytes, index: limits, htmlBytes }: Limits) {
  const clock = fixedClock(Date.now());
  const meter = new Meter();
  const room = new WatchedDatabase(databaseBytes);
  const db = meteredDatabase(nodeD1({ maxBytes: databaseBytes }), meter, room);
  const blobs = memoryBlobs();
  const shards = new Map<string, { shard: PageShard; sql: NodeSql }>();
  const shardOf = (name: string) => {
    const sql = nodeSql();
    const known = shards.get(name) ?? { shard: new PageShard(sql), sql };
    shards.set(name, known);
    return known;
  };
  const retention = { resultMs: DAYS * DAY_MS, cacheMs: DAYS * DAY_MS };
  const { scrapes, pageCache } = createPageStore({
    shard: (name) => ({
      keep: async (row, kept) => {
        const { shard, sql } = shardOf(name);
        const replaced = shard.keep(row, kept, clock.now());
        return { bytes: sizeOfDatabase(sql), replaced };
      },
      findPage: async (query) => shardOf(name).shard.findPage(query),
      findScrape: async (row) => shardOf(name).shard.findScrape(row),
      pagesOf: async (host, query) => shardOf(name).shard.pagesOf(host, query),
    }),
    blobs,
    retention,
    isShared: false,
    fullShards: new Set(),
  });
  const indexes = memoryIndexShards();
  const pageIndex = memoryPageIndex(indexes, limits);
  const engine: Engine = {
    engine: "fetch",
    provides: new Set(),
    load: async ({ url }) => {
      const body = articlePage(Number(url.split("/").at(-1)), htmlBytes).html;
      const page = { engine: "fetch", url, statusCode: 200, headers: {}, contentType: "text/html", body, warnings: [] };
      return { kind: "loaded", page: { ...page, engine: "fetch" as const } };
    },
  };
  const deferred: Promise<unknown>[] = [];
  const events: { event: string; pages?: number }[] = [];
  const deps = testDeps({
    clock, meter, blobs, scrapes, pageCache, pageIndex, files: memoryFiles(), engines: [engine], databaseRoom: room,
    keys: createApiKeyStore(db), jobs: createJobStore(db), jobList: createJobList(db),
    idempotencyKeys: createIdempotencyKeys(db), changeHistory: createChangeHistory(db, blobs, room),
    feedback: memoryFeedback(),
    searchProviders: [createOwnIndex({ pages: pageIndex, clock, retentionMs: DAYS * DAY_MS })],
    frontiers: { start: async () => true } as unknown as Deps["frontiers"],
    defer: (work) => void deferred.push(work),
    log: (event) => void events.push(event as { event: string; pages?: number }),
    settings: { indexRetentionMs: DAYS * DAY_MS, rateLimitPerMinute: 10_000_000, maxConcurrency: 10_000, resultRetentionMs: retention.resultMs, cacheRetentionMs: retention.cacheMs },
  }); // prettier-ignore
  const settle = async (): Promise<void> => {
    while (deferred.length > 0) await Promise.allSettled(deferred.splice(0));
  };
  const refused = (): number =>
    events.reduce((sum, { event, pages = 0 }) => sum + (event === "search_index_full" ? pages : 0), 0);
  const bytes = async () => ({
    rows: [...shards.values()].reduce((sum, { sql }) => sum + sizeOfDatabase(sql), 0),
    blobs: [...blobs.objects.values()].reduce((sum, { bytes: content }) => sum + content.byteLength, 0),
    index: (await pageIndex.size(DEFAULT_TEAM_ID)).bytes,
    database: room.usedShare * databaseBytes,
  });
  /** Lets time pass: objects delete what has expired. */
  const pass = (ms: number): void => {
    clock.advance(ms);
    for (const shard of indexes.shards.values()) shard.dropExpired(clock.now());
  };
  return { ...testApp(deps), clock, room, settle, refused, bytes, pass };
}

type Service = ReturnType<typeof openService>;

async function scrape(service: Service, number: number, formats: string[]) {
  service.clock.advance(1_000);
  const response = await service.post("/v2/scrape", {
    url: `https://h${number % 97}.example/${number}`,
    formats,
    maxAge: 0,
  });
  const body = (await response.json()) as {
    success: boolean;
    warning?: string;
    data?: { metadata: { scrapeId: string } };
  };
  return {
    status: response.status,
    text: JSON.stringify(body.data),
    id: body.data?.metadata.scrapeId ?? "",
    warning: body.warning,
  };
}

/** Measures what pages and jobs leave in each store, without what an empty store takes. */
async function model(pages: number): Promise<void> {
  const service = openService({ databaseBytes: MAX_DATABASE_BYTES, index: INDEX_LIMITS, htmlBytes: 170_000 });
  for (let number = 0; number < pages; number++) await scrape(service, number, ["markdown"]);
  await service.settle();
  const half = await service.bytes();
  for (let number = pages; number < pages * 2; number++) await scrape(service, number, ["markdown"]);
  await service.settle();
  const full = await service.bytes();
  for (let number = 0; number < pages; number++) await service.post("/v2/crawl", { url: "https://a.example/" });
  await service.settle();
  const withJobs = await service.bytes();
  const [rows, index, inDatabase, ofJobs] = [
    full.rows - half.rows,
    full.index - half.index,
    full.database - half.database,
    withJobs.database - full.database,
  ].map((bytes) => bytes / pages);
  const perDay = (capacity: number, bytes: number): string =>
    bytes <= 0 ? "no end" : Math.floor(capacity / bytes / DAYS).toLocaleString("en");
  console.log(
    `What ${pages} pages of 170 kB leave, and the number a day, stored for ${DAYS} days, at which a store ends\n`,
  );
  console.log(
    table(
      ["store", "bytes each", "holds", "ends at, a day"],
      [
        ["results and cached pages, rows of one team", Math.round(rows ?? 0), "64 objects of 8 GB", perDay(PAGE_OBJECTS * PAGE_OBJECT_BYTES, rows ?? 0)],
        ["the same, bodies in R2 (1.5 kB a row)", 1500, "64 objects of 10 GB", perDay(PAGE_OBJECTS * OBJECT_BYTES, 1500)],
        ["search index of one team", Math.round(index ?? 0), "64 objects of 9 GB", perDay(INDEX_LIMITS.maxShards * INDEX_LIMITS.fullBytes, index ?? 0)],
        ["D1, pages", Math.round(inDatabase ?? 0), "10 GB", perDay(MAX_DATABASE_BYTES, inDatabase ?? 0)],
        ["D1, jobs", Math.round(ofJobs ?? 0), "10 GB", perDay(MAX_DATABASE_BYTES, ofJobs ?? 0)],
        ["R2", Math.round((full.blobs - half.blobs) / pages), "no end", "no end"],
      ],
    ),
  ); // prettier-ignore
}

/** Runs the service until its stores are full. @returns what failed. */
async function shortage(pages: number): Promise<string[]> {
  const limits = { growBytes: 1_000_000, fullBytes: 1_000_000, maxShards: 1 };
  const service = openService({ databaseBytes: 1_000_000, index: limits, htmlBytes: 20_000 });
  const counts = new Map<string, { done: number; failed: number }>();
  const count = (what: string, isDone: boolean): void => {
    const known = counts.get(what) ?? { done: 0, failed: 0 };
    counts.set(what, isDone ? { ...known, done: known.done + 1 } : { ...known, failed: known.failed + 1 });
  };
  const stored: { id: string; text: string }[] = [];
  let warnedAt: number | undefined;
  for (let number = 0; number < pages; number++) {
    const refusedBefore = service.refused();
    const { status, text, id } = await scrape(service, number, ["markdown", "changeTracking"]);
    count("scrapes", status === 200);
    stored.push({ id, text });
    await service.settle();
    if (service.room.isNearlyFull) warnedAt ??= number;
    if (number % 10 !== 0) continue;
    const key = await service.post("/v2/team/keys", { name: `key ${number}` }, { key: ADMIN_KEY });
    count("keys created", key.status === 200 || key.status === 201);
    count("crawls started", (await service.post("/v2/crawl", { url: "https://a.example/" })).status === 200);
    const response = await service.post("/v2/search", { query: `"page ${number} of the Harrow Bay archive"` });
    const { data } = (await response.json()) as { data?: { web?: { url: string }[] } };
    const isFound = data?.web?.some(({ url }) => url.endsWith(`/${number}`)) === true;
    // A page for which the index had no room is not found, and the log says so.
    count("searches", response.status === 200 && (isFound || service.refused() > refusedBefore));
  }
  for (const { id, text } of stored) {
    const response = await service.ask(`/v2/scrape/${id}`);
    const { data } = (await response.json()) as { data?: unknown };
    count("results read back, byte for byte", JSON.stringify(data) === text);
  }
  const shown = (await (await service.ask("/v2/team/storage")).json()) as Shown;
  const refused = service.refused();
  console.log(`\n${pages} pages with stores of 1 MB\n`);
  console.log(
    table(
      ["", "done", "failed"],
      [...counts].map(([what, { done, failed }]) => [what, done, failed]),
    ),
  );
  console.log(`
database: ${shown.database.percentUsed} % used, above 80 % from page ${warnedAt ?? "none"}; ${shown.database.warning ?? "no warning"}
search index: ${shown.searchIndex.pages} pages, ${refused} refused; ${shown.searchIndex.warning ?? "no warning"}`);
  service.pass(40 * DAY_MS);
  await scrape(service, pages, ["markdown"]);
  await service.settle();
  const later = (await (await service.ask("/v2/team/storage")).json()) as Shown;
  console.log(`after 40 days: ${later.searchIndex.pages} pages, ${later.searchIndex.warning ?? "no warning"}`);
  return [
    ...[...counts].flatMap(([what, { failed }]) => (failed > 0 ? [`${what}: ${failed} failed`] : [])),
    ...(warnedAt !== undefined && shown.database.warning === undefined
      ? ["The database's shortage was not reported"]
      : []),
    ...(refused > 0 && shown.searchIndex.warning === undefined ? ["The index's shortage was not reported"] : []),
    ...(service.refused() > refused ? ["The index took no page after the others had expired"] : []),
  ];
}

interface Shown {
  searchIndex: { pages: number; warning?: string };
  database: { percentUsed: number; warning?: string };
}

if (flags.help) console.log(USAGE);
else {
  const pages = Number(flags.pages);
  await model(pages);
  const failures = await shortage(pages);
  for (const failure of failures) console.error(failure);
  if (failures.length > 0) process.exitCode = 1;
}
