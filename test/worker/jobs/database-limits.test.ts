import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { NO_PAGES } from "../../../src/core/monitors/monitor.ts";
import { createJobStore } from "../../../src/storage/jobs/jobs.ts";
import { createMonitorStore } from "../../../src/storage/monitors/monitors.ts";
import { someMonitor } from "../../contracts/some-monitor.ts";
import { memoryBlobs } from "../../fakes/memory/memory-blobs.ts";

const NOW = Date.UTC(2026, 10, 21, 12);
const ROOM = { count: 1, configBytes: 100_000 };

test("D1 bounds the monitors of a team, and measures and deletes their checks", async () => {
  const store = createMonitorStore(env.DB, memoryBlobs());
  const teamId = crypto.randomUUID();
  const monitor = someMonitor(teamId, NOW);
  expect(await store.insert(monitor, ROOM)).toBe(true);
  expect(await store.insert(someMonitor(teamId, NOW), ROOM)).toBe(false);
  const change = { config: { goal: "Prices" }, keptTargets: [], updatedAtMs: NOW };
  expect(await store.update(monitor.id, { ...change, room: { bytes: 2_000, mostBytes: 1_000 } })).toBe(false);
  expect(await store.update(monitor.id, { ...change, room: { bytes: 2_000, mostBytes: 2_000 } })).toBe(true);
  for (const at of [1, 2]) {
    const checkId = crypto.randomUUID();
    await store.startCheck({ monitor, checkId, trigger: "manual", nowMs: NOW + at });
    const plan = { listed: ["t"], pages: [{ targetId: "t", url: "https://a.example/" }], failed: [], warnings: [] };
    await store.keepPlan(checkId, plan, 0);
    const check = { id: checkId, monitorId: monitor.id } as NonNullable<Awaited<ReturnType<typeof store.findCheck>>>;
    await store.finishCheck(check, { status: "completed", summary: NO_PAGES, nowMs: NOW + at });
    expect(await store.findCheck(checkId)).toMatchObject({ plan: undefined, results: [{ targetId: "t", pages: 1 }] });
  }
  expect([await store.exceeds(teamId, 1_000), await store.exceeds(teamId, 5_000)]).toEqual([true, false]);
  await store.purgeLargest(1_000);
  expect(await store.listChecks(monitor.id, { limit: 5, offset: 0 })).toMatchObject([{ createdAtMs: NOW + 2 }]);
  expect(await store.exceeds(teamId, 1_000)).toBe(false);
  await store.purge(NOW + 31 * 86_400_000, 10);
  expect([await store.exceeds(teamId, 0), await store.exceeds(teamId, -1)]).toEqual([false, true]);
  await store.remove(monitor.id);
  expect(await store.exceeds(teamId, -1)).toBe(false);
});

test("D1 deletes ended jobs by a shortened retention", async () => {
  const jobs = createJobStore(env.DB);
  const job = {
    id: crypto.randomUUID(),
    teamId: crypto.randomUUID(),
    keyId: "key",
    kind: "crawl",
    apiVersion: "v2",
    status: "completed",
    target: "https://a.example/",
    optionsJson: "{}",
    createdAtMs: 1_000,
    endedAtMs: 2_000,
    expiresAtMs: NOW * 2,
  } as const;
  await jobs.insert(job);
  await jobs.purge({ nowMs: 5_000, createdBeforeMs: 1_001 }, 1);
  expect(await jobs.find(job.id)).toBeUndefined();
});
