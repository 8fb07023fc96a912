import { createHash, createHmac } from "node:crypto";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { parseSearchQuery } from "../../src/core/search/search-query.ts";
import { DEFAULT_TEAM_ID } from "../../src/services/account/bootstrap-keys.ts";
import type { PageIndex } from "../../src/ports/search/page-index.ts";
import { IndexShard } from "../../src/storage/search/index-shard.ts";
import { createPageIndex, INDEX_LIMITS } from "../../src/storage/search/page-index.ts";
import { nodeSql, sizeOfDatabase, type NodeSql } from "../fakes/memory/node-sql.ts";
import { startService } from "../e2e/service.ts";
import { table } from "./load/table.ts";
import { syntheticPage, syntheticQueries } from "./load/synthetic-pages.ts";

const USAGE = `npm run bench -- search [flags]

Fills the database of a team's index by the code of its object, then asks the index alone, and POST /v2/search of the running
service, one query after another. All pages are in one object, however many they are.

  --pages 100000    pages in the index
  --queries 440     queries of each round; the first round warms up
  --persist DIR     keep the filled database there, and use it again the next time
  --fill-only       fill, and measure another time`;

const { values: flags } = parseArgs({
  options: {
    pages: { type: "string", default: "100000" },
    queries: { type: "string", default: "440" },
    persist: { type: "string" },
    "fill-only": { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

const PAGES_AT_A_TIME = 200;
const RETENTION_MS = 3650 * 86_400_000;

/** An index of one team in one file: the database that the team's object opens under `wrangler dev`. */
function openIndex(path: string): { index: PageIndex; sql: NodeSql; shard: IndexShard } {
  const sql = nodeSql(path);
  const shard = new IndexShard(sql, () => sizeOfDatabase(sql));
  const calls = {
    put: async (...args: Parameters<IndexShard["put"]>) => shard.put(...args),
    due: async (...args: Parameters<IndexShard["due"]>) => shard.due(...args),
    remove: async (marks: readonly string[]) => shard.remove(marks),
    search: async (...args: Parameters<IndexShard["search"]>) => shard.search(...args),
    size: async () => shard.size(),
    adopt: async () => undefined,
  };
  const limits = { ...INDEX_LIMITS, maxShards: 1 };
  return { index: createPageIndex({ shard: () => calls, limits, layouts: new Map() }), sql, shard };
}

/** The file of the object with the name of the team's first shard: the simulator derives it from class and name. */
async function databaseFile(persistDir: string): Promise<string> {
  const unique = "orbweaver-SearchIndex";
  const folder = join(persistDir, "v3", "do", unique);
  await mkdir(folder, { recursive: true });
  const key = createHash("sha256").update(unique).digest();
  const name = createHmac("sha256", key).update(`${DEFAULT_TEAM_ID}/0`).digest().subarray(0, 16);
  const check = createHmac("sha256", key).update(name).digest().subarray(0, 16);
  return join(folder, `${Buffer.concat([name, check]).toString("hex")}.sqlite`);
}

/** Adds the pages that are missing. @returns seconds, pages added and the size of the database. */
async function fill(path: string, pages: number): Promise<{ seconds: number; added: number; bytes: number }> {
  const { index, sql, shard } = openIndex(path);
  const startedAt = performance.now();
  try {
    const nowMs = Date.now();
    const first = shard.size().pages;
    for (let start = first; start < pages; start += PAGES_AT_A_TIME) {
      const some = Array.from({ length: Math.min(PAGES_AT_A_TIME, pages - start) }, (_, place) =>
        syntheticPage(start + place, nowMs),
      );
      await index.put(DEFAULT_TEAM_ID, some, { nowMs, retentionMs: RETENTION_MS });
      if (start % 10_000 === 0) console.error(`${start} pages`);
    }
    const seconds = (performance.now() - startedAt) / 1000;
    return { seconds, added: Math.max(0, pages - first), bytes: shard.size().bytes };
  } finally {
    sql.close();
  }
}

interface Timing {
  kind: string;
  ms: number;
  found: number;
}

/** The same queries asked of the index alone, in this process. */
async function measureIndex(path: string, pages: number): Promise<Timing[]> {
  const { index, sql } = openIndex(path);
  try {
    const timings: Timing[] = [];
    const queries = syntheticQueries(Number(flags.queries), pages);
    for (const round of ["warm-up", "measured"]) {
      for (const { kind, body } of queries) {
        const { query, lang, tbs } = body as { query: string; lang?: string; tbs?: string };
        const nowMs = Date.now();
        const range = tbs === undefined ? {} : { fromMs: nowMs - 31 * 86_400_000, toMs: nowMs };
        const language = lang === undefined ? {} : { language: lang };
        const wanted = { terms: parseSearchQuery(query), limit: 10, indexedAfterMs: 0, ...range, ...language };
        const startedAt = performance.now();
        const found = await index.search(DEFAULT_TEAM_ID, wanted);
        if (round === "measured") timings.push({ kind, ms: performance.now() - startedAt, found: found.length });
      }
    }
    return timings;
  } finally {
    sql.close();
  }
}

async function measure(persistDir: string, pages: number): Promise<Timing[]> {
  const service = await startService({
    persist: persistDir,
    settings: { SEARCH_INDEX_RETENTION_HOURS: String(24 * 3650), SEARCH_PROVIDERS: "own-index" },
  });
  try {
    const timings: Timing[] = [];
    const queries = syntheticQueries(Number(flags.queries), pages);
    for (const round of ["warm-up", "measured"]) {
      for (const { kind, body } of queries) {
        const startedAt = performance.now();
        const response = await fetch(`${service.url}/v2/search`, {
          method: "POST",
          headers: { authorization: `Bearer ${service.key}`, "content-type": "application/json" },
          body: JSON.stringify(body),
        });
        const answer = (await response.json()) as { data?: { web?: unknown[] }; error?: string };
        if (!response.ok) throw new Error(`${response.status} for ${JSON.stringify(body)}: ${answer.error}`);
        const ms = performance.now() - startedAt;
        if (round === "measured") timings.push({ kind, ms, found: answer.data?.web?.length ?? 0 });
      }
    }
    return timings;
  } finally {
    await service.stop();
  }
}

function quantile(sorted: readonly number[], share: number): string {
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);
}

function row(kind: string, timings: readonly Timing[]): string[] {
  const sorted = timings.map(({ ms }) => ms).toSorted((left, right) => left - right);
  const found = timings.reduce((sum, one) => sum + one.found, 0) / Math.max(1, timings.length);
  return [
    kind,
    String(timings.length),
    found.toFixed(1),
    ...[0.5, 0.95, 0.99, 1].map((share) => quantile(sorted, share)),
  ];
}

async function bench(): Promise<void> {
  const pages = Number(flags.pages);
  const persistDir = flags.persist ?? (await mkdtemp(join(tmpdir(), "orbweaver-bench-")));
  try {
    const path = await databaseFile(persistDir);
    const { seconds, added, bytes } = await fill(path, pages);
    if (added > 0) console.log(`${added} pages added in ${seconds.toFixed(0)} s`);
    console.log(`${(bytes / pages / 1000).toFixed(2)} kB a page`);
    if (flags["fill-only"]) return;
    show(`The index alone, ${pages} pages`, await measureIndex(path, pages));
    show(`POST /v2/search over ${pages} pages, own index`, await measure(persistDir, pages));
  } finally {
    if (flags.persist === undefined) await rm(persistDir, { recursive: true, force: true });
  }
}

function show(title: string, timings: readonly Timing[]): void {
  const kinds = [...new Set(timings.map(({ kind }) => kind))];
  const rowsOfKinds = kinds.map((kind) =>
    row(
      kind,
      timings.filter((timing) => timing.kind === kind),
    ),
  );
  const head = ["query", "asked", "found", "p50 ms", "p95 ms", "p99 ms", "max ms"];
  console.log(`\n${title}\n`);
  console.log(table(head, [row("all", timings), ...rowsOfKinds]));
}

if (flags.help) console.log(USAGE);
else await bench();
