import { describe, expect, test } from "vitest";
import { createJobList, ROWS_A_PAGE } from "../../src/storage/jobs/job-list.ts";
import { createJobStore } from "../../src/storage/jobs/jobs.ts";
import { createMonitorStore } from "../../src/storage/monitors/monitors.ts";
import { MOST_MONITORS } from "../../src/core/monitors/monitor-limits.ts";
import { LISTED_KINDS } from "../../src/core/jobs/listed-job.ts";
import type { JobRecord } from "../../src/core/jobs/job.ts";
import type { JobListQuery } from "../../src/ports/storage/job-list.ts";
import { someMonitor } from "./some-monitor.ts";
import { memoryBlobs } from "../fakes/memory/memory-blobs.ts";

const NOW = Date.UTC(2026, 10, 21, 12);

function someJob(teamId: string, fields: Partial<JobRecord> = {}): JobRecord {
  return {
    id: crypto.randomUUID(),
    teamId,
    keyId: "key",
    kind: "crawl",
    apiVersion: "v2",
    status: "completed",
    target: "https://a.example/",
    optionsJson: "{}",
    createdAtMs: NOW - 1_000,
    endedAtMs: NOW,
    expiresAtMs: NOW + 1_000,
    ...fields,
  };
}

/** Requirements of the list of jobs over a database. */
export function jobListContract(name: string, makeDatabase: () => D1Database): void {
  const makeWorld = () => {
    const db = makeDatabase();
    const jobs = createJobStore(db);
    const teamId = crypto.randomUUID();
    const list = async (query: Partial<JobListQuery> = {}, team = teamId) => {
      const range = { fromMs: 0, toMs: NOW, after: undefined, limit: 10, nowMs: NOW };
      return await createJobList(db).list(team, { kinds: LISTED_KINDS, ...range, ...query });
    };
    const ids = async (query: Partial<JobListQuery> = {}) => (await list(query)).jobs.map(({ id }) => id);
    return { db, jobs, teamId, list, ids };
  };

  describe(`${name} as a list of jobs`, () => {
    test("lists the jobs and checks of one team, newest first, without expired ones", async () => {
      const { db, jobs, teamId, list } = makeWorld();
      const monitors = createMonitorStore(db, memoryBlobs());
      const monitor = someMonitor(teamId, NOW - 5_000);
      await monitors.insert(monitor, MOST_MONITORS);
      const checkId = crypto.randomUUID();
      await monitors.startCheck({ monitor, checkId, trigger: "manual", nowMs: NOW - 500 });
      const older = someJob(teamId, {
        createdAtMs: NOW - 2_000,
        kind: "agent",
        status: "scraping",
        endedAtMs: undefined,
      });
      const newer = someJob(teamId, { createdAtMs: NOW - 100 });
      for (const job of [older, newer, someJob(crypto.randomUUID()), someJob(teamId, { expiresAtMs: NOW })])
        await jobs.insert(job);
      const { jobs: listed, next } = await list();
      expect(listed.map(({ id, kind, status, target }) => [id, kind, status, target])).toEqual([
        [newer.id, "crawl", "completed", "https://a.example/"],
        [checkId, "monitor_check", "queued", monitor.name],
        [older.id, "agent", "running", "https://a.example/"],
      ]);
      expect(listed[1]).toMatchObject({ monitorId: monitor.id, keyId: monitor.keyId });
      expect(next).toBeUndefined();
    });

    test("filters by kind, state, text, id and time", async () => {
      const { jobs, teamId, ids } = makeWorld();
      const crawl = someJob(teamId, { target: "https://Harbour.example/log", createdAtMs: NOW - 9_000 });
      const extract = someJob(teamId, { kind: "extract", status: "failed", createdAtMs: NOW - 3_000 });
      for (const job of [crawl, extract]) await jobs.insert(job);
      expect(await ids({ kinds: ["crawl"] })).toEqual([crawl.id]);
      expect(await ids({ kinds: ["monitor_check"] })).toEqual([]);
      expect(await ids({ statuses: ["failed", "running"] })).toEqual([extract.id]);
      expect(await ids({ statuses: ["skipped"] })).toEqual([]);
      expect(await ids({ text: "HARBOUR.example" })).toEqual([crawl.id]);
      expect(await ids({ text: extract.id.slice(0, 12) })).toEqual([extract.id]);
      expect(await ids({ text: "100%" })).toEqual([]);
      expect(await ids({ fromMs: NOW - 3_000 })).toEqual([extract.id]);
      expect(await ids({ toMs: NOW - 9_000 })).toEqual([crawl.id]);
    });

    test.each([
      { target: "Новости портов", texts: ["новости", "НОВОСТИ ПОРТОВ", "Новости Портов", "овости"] },
      { target: "цены на рыбу", texts: ["Цены", "ЦЕНЫ НА"] },
      { target: "https://a.example/Übersicht", texts: ["übersicht", "A.EXAMPLE/Ü", "Übersicht"] },
    ])("finds $target by text in any case", async ({ target, texts }) => {
      const { jobs, teamId, ids } = makeWorld();
      const job = someJob(teamId, { target });
      for (const each of [job, someJob(teamId)]) await jobs.insert(each);
      for (const text of texts) expect(await ids({ text }), text).toEqual([job.id]);
      expect(await ids({ text: "сыр" })).toEqual([]);
    });

    test("is read page by page, each job once, also those of one millisecond", async () => {
      const { jobs, teamId, list } = makeWorld();
      const made = Array.from({ length: 7 }, (_, at) => someJob(teamId, { createdAtMs: NOW - (at < 4 ? 10 : 20) }));
      for (const job of made) await jobs.insert(job);
      const seen: string[] = [];
      let after: JobListQuery["after"];
      do {
        const page = await list({ limit: 3, after });
        seen.push(...page.jobs.map(({ id }) => id));
        after = page.next;
      } while (after !== undefined);
      expect(seen.toSorted()).toEqual(made.map(({ id }) => id).toSorted());
    });

    test("counts what is stored by kind, with its expiry", async () => {
      const { db, jobs, teamId } = makeWorld();
      const expiries = [NOW + 50, NOW + 20, NOW];
      for (const expiresAtMs of expiries) await jobs.insert(someJob(teamId, { expiresAtMs }));
      await jobs.insert(someJob(crypto.randomUUID()));
      const monitor = someMonitor(teamId, NOW);
      const monitors = createMonitorStore(db, memoryBlobs());
      await monitors.insert(monitor, MOST_MONITORS);
      await monitors.startCheck({ monitor, checkId: crypto.randomUUID(), trigger: "manual", nowMs: NOW });
      const monthLater = NOW + 30 * 86_400_000;
      expect(await createJobList(db).stored(teamId, NOW)).toEqual([
        { kind: "crawl", count: 2, firstExpiryMs: NOW + 20, lastExpiryMs: NOW + 50 },
        { kind: "monitor_check", count: 1, firstExpiryMs: monthLater, lastExpiryMs: monthLater },
      ]);
    });

    test("reads a bounded number of rows for a filter that few jobs match", async () => {
      const { db, jobs, teamId, list } = makeWorld();
      await db
        .prepare(
          `INSERT INTO jobs
             (id, team_id, key_id, kind, api_version, status, target, options, created_at_ms, ended_at_ms, expires_at_ms)
           SELECT ? || value, ?, 'key', 'crawl', 'v2', 'completed', 'https://b.example/', '{}', ? - value, NULL, ?
           FROM (WITH RECURSIVE numbers(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM numbers LIMIT ?) SELECT value FROM numbers)`,
        )
        .bind(teamId, teamId, NOW, NOW + 1_000, ROWS_A_PAGE + 10)
        .run();
      const old = someJob(teamId, { createdAtMs: NOW - ROWS_A_PAGE - 100 });
      await jobs.insert(old);
      const first = await list({ text: "a.example" });
      expect(first.jobs).toEqual([]);
      expect(first.next).toMatchObject({ createdAtMs: NOW - ROWS_A_PAGE });
      const kinds = Array.from({ length: LISTED_KINDS.length }, () => "agent" as const);
      expect((await list({ kinds })).next, "a name that is repeated is one kind").toEqual(first.next);
      const second = await list({ text: "a.example", after: first.next });
      expect(second).toMatchObject({ jobs: [{ id: old.id }], next: undefined });
    });
  });
}
