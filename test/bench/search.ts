import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { getPlatformProxy } from "wrangler";
import { Meter } from "../../src/core/account/meter.ts";
import { parseSearchQuery } from "../../src/core/search/search-query.ts";
import { DEFAULT_TEAM_ID } from "../../src/services/account/bootstrap-keys.ts";
import { meteredDatabase } from "../../src/platform/metering/metered-database.ts";
import { createPageIndex } from "../../src/storage/search/page-index.ts";
import { applyMigrations } from "../../src/tools/service/migrations.ts";
import { makeRunFolder } from "../../src/tools/process/run-folder.ts";
import { PROJECT_ROOT } from "../../src/tools/service/wrangler.ts";
import { startService } from "../e2e/service.ts";
import { table } from "./load/table.ts";
import { syntheticPage, syntheticQueries } from "./load/synthetic-pages.ts";

const USAGE = `npm run bench -- search [flags]

Fills the index of a real local D1 through workerd, then asks POST /v2/search of the running service, one query after
another.

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

/** Adds the pages that are missing. @returns seconds, rows written and pages added. */
async function fill(persistDir: string, pages: number): Promise<{ seconds: number; rows: number; added: number }> {
  const scratchDir = await makeRunFolder(persistDir);
  await applyMigrations({ persistDir, scratchDir });
  const { env, dispose } = await openDatabase(persistDir);
  const meter = new Meter();
  const startedAt = performance.now();
  try {
    const known = await env.DB.prepare("SELECT count(*) AS pages FROM indexed_pages").first<{ pages: number }>();
    const index = createPageIndex(meteredDatabase(env.DB, meter));
    const nowMs = Date.now();
    const first = known?.pages ?? 0;
    for (let start = first; start < pages; start += PAGES_AT_A_TIME) {
      const some = Array.from({ length: Math.min(PAGES_AT_A_TIME, pages - start) }, (_, place) =>
        syntheticPage(start + place, nowMs),
      );
      await index.put(DEFAULT_TEAM_ID, some, { nowMs, retentionMs: RETENTION_MS });
      if (start % 10_000 === 0) console.error(`${start} pages`);
    }
    const seconds = (performance.now() - startedAt) / 1000;
    return { seconds, rows: meter.counts.d1RowsWritten, added: Math.max(0, pages - first) };
  } finally {
    await dispose();
    await rm(scratchDir, { recursive: true, force: true });
  }
}

interface Timing {
  kind: string;
  ms: number;
  found: number;
}

/** The same queries asked of the index alone, through workerd and without the service around it. */
async function measureIndex(persistDir: string, pages: number): Promise<Timing[]> {
  const { env, dispose } = await openDatabase(persistDir);
  try {
    const index = createPageIndex(env.DB);
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
    await dispose();
  }
}

function openDatabase(persistDir: string) {
  return getPlatformProxy<{ DB: D1Database }>({
    configPath: join(PROJECT_ROOT, "wrangler.toml"),
    persist: { path: join(persistDir, "v3") },
    remoteBindings: false,
  });
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
    const { seconds, rows, added } = await fill(persistDir, pages);
    if (added > 0) {
      const perPage = (rows / added).toFixed(2);
      console.log(`${added} pages added in ${seconds.toFixed(0)} s, ${perPage} D1 rows written a page`);
    }
    if (flags["fill-only"]) return;
    show(`The index alone, ${pages} pages`, await measureIndex(persistDir, pages));
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
