import { beforeEach, describe, expect, test } from "vitest";
import type { JobRecord } from "../../../../src/core/jobs/job.ts";
import { utf8Length } from "../../../../src/core/text/utf8.ts";
import { createJobStore } from "../../../../src/storage/jobs/jobs.ts";
import { nodeD1 } from "../../../fakes/memory/node-d1.ts";
import { given } from "../../../fakes/given.ts";

const LONG = JSON.stringify({ prompt: "Waves", schema: { description: "波".repeat(60_000) }, effort: "low" });
const PAGE = { beforeMs: 9e15, nowMs: 1, limit: 120 };

let db: D1Database;
let queries: { query: string; values: unknown[] }[];
let room: { isNearlyFull: boolean };
let jobs: ReturnType<typeof createJobStore>;

beforeEach(() => {
  db = nodeD1();
  queries = [];
  room = { isNearlyFull: false };
  const noting = {
    prepare: (query: string) => ({
      bind(...values: unknown[]) {
        queries.push({ query, values });
        return db.prepare(query).bind(...values);
      },
    }),
  };
  jobs = createJobStore({ ...noting, withSession: () => noting } as unknown as D1Database, {
    frontiers: { recordedOptions: async (id) => `{"of":"frontier ${id}"}` },
    stepJobs: { recordedOptions: async (id) => (id === "gone" ? undefined : LONG) },
    room,
  });
});

async function insert(id: string, fields: Partial<JobRecord> = {}): Promise<void> {
  await jobs.insert({
    id,
    teamId: "team",
    keyId: "key",
    kind: "agent",
    apiVersion: "v2",
    status: "scraping",
    target: "",
    optionsJson: LONG,
    createdAtMs: 5,
    endedAtMs: undefined,
    expiresAtMs: 9e15,
    ...fields,
  });
}

describe("options of a job", () => {
  test("of 180 kB stay in the job's object, and its record has the short ones", async () => {
    await insert("agent");
    const job = given(await jobs.find("agent"));
    expect(job).toMatchObject({ optionsJson: '{"prompt":"Waves","effort":"low"}', areOptionsCut: true });
    expect(await jobs.wholeOptions(job)).toBe(LONG);
    await insert("crawl", { kind: "crawl" });
    expect(await jobs.wholeOptions(given(await jobs.find("crawl")))).toBe('{"of":"frontier crawl"}');
    await insert("gone");
    expect(await jobs.wholeOptions(given(await jobs.find("gone")))).toBeUndefined();
  });

  test("of 16 kB are in its record, or of 1 kB while the database is nearly full", async () => {
    const optionsJson = JSON.stringify({ prompt: "p".repeat(16_000), effort: "low" });
    await insert("wide", { optionsJson });
    room.isNearlyFull = true;
    await insert("narrow", { optionsJson });
    const [wide, narrow] = [given(await jobs.find("wide")), given(await jobs.find("narrow"))];
    expect(wide.optionsJson).toBe(optionsJson);
    expect(await jobs.wholeOptions(wide)).toBe(optionsJson);
    expect(wide.areOptionsCut).toBeUndefined();
    expect(narrow).toMatchObject({ optionsJson: '{"effort":"low"}', areOptionsCut: true });
  });

  test("that an older version has stored at length are read for one job, and by no list", async () => {
    for (const kind of ["agent", "crawl"] as const)
      await insert(kind, { kind, status: kind === "crawl" ? "completed" : "scraping" });
    await db.prepare("UPDATE jobs SET options = ?, are_options_cut = NULL").bind(LONG).run();
    const job = given(await jobs.find("agent"));
    expect(job.optionsJson).toBe(LONG);
    expect(await jobs.wholeOptions(job)).toBe(LONG);
    const lists = [
      jobs.listAgents("team", PAGE),
      jobs.listThreads("team", PAGE),
      jobs.listRunning("team", "agent", 1),
      jobs.listRunningOfKey("team", "key", PAGE),
      jobs.listCompletedCrawls("team", { target: "", nowMs: 1, limit: 5 }),
      jobs.findByPrefix("agent"),
    ];
    for (const list of await Promise.all(lists)) {
      expect(list).toMatchObject([{ optionsJson: "{}", areOptionsCut: true }]);
    }
  });

  test("of 4 kB at most are in the list of a thousand running jobs", async () => {
    const optionsOf = (chars: number): string => JSON.stringify({ prompt: "p".repeat(chars) });
    for (const chars of [10, 5_000])
      await insert(`${chars}`, { kind: "crawl", optionsJson: optionsOf(chars), createdAtMs: chars });
    const found = await jobs.listRunning("team", "crawl", 1);
    expect(found.map(({ optionsJson }) => utf8Length(optionsJson))).toEqual([2, optionsOf(10).length]);
    expect(await jobs.runningIds("team", "crawl", { nowMs: 1, limit: 1 })).toEqual(["5000"]);
    expect(queries.at(-1)?.query).not.toContain("options");
  });
});

test("a target of 16,000 characters is cut in the record, and completed crawls are found by the whole one", async () => {
  const target = `https://a.example/${"字".repeat(16_000)}`;
  const ended = { kind: "crawl", status: "completed", optionsJson: "{}" } as const;
  await insert("new", { ...ended, target, createdAtMs: 7 });
  await insert("other", { ...ended, target: `${target}2`, createdAtMs: 6 });
  await insert("old", ended);
  // Older versions stored the whole target.
  await db.prepare("UPDATE jobs SET target = ? WHERE id = 'old'").bind(target).run();
  expect(utf8Length(given(await jobs.find("new")).target)).toBeLessThanOrEqual(2_048);
  const found = await jobs.listCompletedCrawls("team", { target, nowMs: 1, limit: 5 });
  expect(found.map(({ id }) => id)).toEqual(["new", "old"]);
});

test("of the records of a team the newest are kept, and those of running jobs", async () => {
  jobs = createJobStore(db, { maxJobs: 20 });
  await insert("running", { createdAtMs: 0 });
  await insert("other team", { teamId: "other", status: "completed", createdAtMs: 0 });
  for (let number = 1; number <= 200; number++)
    await insert(`${number}`, { status: "completed", createdAtMs: number, optionsJson: "{}" });
  const { results } = await db
    .prepare("SELECT id FROM jobs WHERE team_id = 'team' ORDER BY created_at_ms")
    .run<{ id: string }>();
  expect(results.length).toBeLessThanOrEqual(71);
  expect(results.length).toBeGreaterThanOrEqual(21);
  expect(results[0]?.id).toBe("running");
  expect(results.at(-20)?.id).toBe("181");
  expect(await jobs.find("other team")).toBeDefined();
});

describe("a list of some of a team's jobs", () => {
  test.each([
    { what: "its agents", index: "agent_jobs", list: () => jobs.listAgents("team", PAGE) },
    { what: "its threads", index: "agent_jobs", list: () => jobs.listThreads("team", PAGE) },
    {
      what: "the running jobs of a key",
      index: "running_jobs",
      list: () => jobs.listRunningOfKey("team", "key", PAGE),
    },
    { what: "its running crawls", index: "running_jobs", list: () => jobs.listRunning("team", "crawl", 1) },
    {
      what: "the IDs of its running crawls",
      index: "running_jobs",
      list: () => jobs.runningIds("team", "crawl", PAGE),
    },
  ])("reads no others: $what", async ({ index, list }) => {
    await list();
    const { query, values } = given(queries.at(-1));
    const { results } = await db
      .prepare(`EXPLAIN QUERY PLAN ${query}`)
      .bind(...values)
      .run<{ detail: string }>();
    expect(results[0]?.detail).toContain(`USING INDEX ${index} (team_id=?`);
  });
});

describe("the upkeep of jobs", () => {
  const DAY_MS = 86_400_000;
  const NOW = 100 * DAY_MS;
  const ends = { nowMs: NOW, createdBeforeMs: NOW - DAY_MS };

  test("deletes what has expired, and ended jobs that are older than a shortened retention", async () => {
    const long = { expiresAtMs: NOW + 27 * DAY_MS, createdAtMs: NOW - 3 * DAY_MS };
    await insert("expired", { expiresAtMs: NOW - 1 });
    await insert("old", { ...long, status: "completed" });
    await insert("older", { ...long, status: "failed" });
    await insert("running", long);
    await insert("new", { status: "completed", createdAtMs: NOW - 5, expiresAtMs: NOW + DAY_MS });
    expect(await jobs.purge(ends, 2)).toBe(2);
    expect(await jobs.purge(ends, 2)).toBe(1);
    expect(await jobs.purge(ends, 2)).toBe(0);
    for (const id of ["running", "new"]) expect(await jobs.find(id)).toMatchObject({ id });
    for (const id of ["expired", "old", "older"]) expect(await jobs.find(id)).toBeUndefined();
  });

  test("does not look for longer retentions where the latest expiry shows that there are none", async () => {
    await insert("new", { status: "completed", createdAtMs: NOW - 5, expiresAtMs: NOW + DAY_MS - 5 });
    queries = [];
    expect(await jobs.purge(ends, 2)).toBe(0);
    expect(queries.map(({ query }) => query).filter((query) => query.includes("created_at_ms"))).toEqual([]);
  });

  test("wakes running jobs that have not expired", async () => {
    await insert("over", { expiresAtMs: NOW });
    await insert("running", { expiresAtMs: NOW + 1 });
    expect(await jobs.runningJobs({ nowMs: NOW, limit: 10 })).toMatchObject([{ id: "running" }]);
  });
});

test("the row of a job expires by its creation, by its end when it took long, and later when it runs again", async () => {
  const [hourMs, dayMs] = [3_600_000, 86_400_000];
  const expiry = async (id: string): Promise<number | undefined> => (await jobs.find(id))?.expiresAtMs;
  for (const id of ["short", "long", "deleted"])
    await insert(id, { kind: "batch_scrape", optionsJson: "{}", createdAtMs: 0, expiresAtMs: 31 * dayMs });
  await jobs.expire("deleted", 0);
  await jobs.setStatus("deleted", "completed", 2 * dayMs);
  expect(await expiry("deleted")).toBe(0);
  await jobs.setStatus("short", "completed", hourMs);
  expect(await expiry("short")).toBe(dayMs);
  await jobs.setStatus("long", "completed", hourMs + 1);
  expect(await expiry("long")).toBe(dayMs + hourMs + 1);
  await jobs.setStatus("short", "scraping", undefined);
  expect(await expiry("short")).toBe(31 * dayMs);
  await jobs.setStatus("short", "completed", 20 * hourMs);
  expect(await expiry("short")).toBe(44 * hourMs);
});

test("the row of a running job that an earlier version has written is prolonged, and no other", async () => {
  for (const id of ["running", "ended", "deleted"])
    await insert(id, { optionsJson: "{}", createdAtMs: 0, expiresAtMs: 10 });
  await jobs.setStatus("ended", "completed", 5);
  await jobs.expire("deleted", 0);
  for (const id of ["running", "ended", "deleted"])
    await insert(id, { optionsJson: "{}", createdAtMs: 0, expiresAtMs: 40 });
  for (const id of ["running", "ended", "deleted"])
    await insert(id, { optionsJson: "{}", createdAtMs: 0, expiresAtMs: 20 });
  const expiries = await Promise.all(
    ["running", "ended", "deleted"].map(async (id) => (await jobs.find(id))?.expiresAtMs),
  );
  expect(expiries).toEqual([40, 86_400_000, 0]);
});
