import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createHostThrottle } from "../../../src/platform/crawl/host-throttle-port.ts";

/** A host of the test's own. */
function newHost() {
  const host = `${crypto.randomUUID()}.example`;
  const stub = env.HOST_THROTTLE.getByName(host);
  const rows = () =>
    runInDurableObject(stub, (_gate, { storage: { sql } }) =>
      sql.exec("SELECT name FROM sqlite_master WHERE name = 'host'").toArray().length === 0
        ? []
        : sql.exec<{ state: string }>("SELECT state FROM host").toArray(),
    );
  const tables = () =>
    runInDurableObject(stub, (_gate, { storage }) =>
      storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'host'").toArray(),
    );
  return { host, stub, rows, tables, gate: createHostThrottle(env.HOST_THROTTLE) };
}

test("crawls that reserve at once get moments apart, and no row is written for it", async () => {
  const { host, gate, rows } = newHost();
  const given = await Promise.all(Array.from({ length: 10 }, () => gate.reserve(host, 2, { delayMs: 50 })));
  const sorted = given.flat().toSorted((left, right) => left - right);
  expect(sorted).toHaveLength(20);
  for (const [index, atMs] of sorted.slice(1).entries()) expect(atMs - (sorted[index] ?? 0)).toBeGreaterThanOrEqual(50);
  expect(await rows()).toEqual([]);
});

test("a long Retry-After outlives the object", async () => {
  const { host, gate, stub, rows } = newHost();
  await gate.report(host, { statusCode: 429, retryAfterMs: 60_000 });
  expect(await rows()).toHaveLength(1);
  await evictDurableObject(stub);
  const [atMs = 0] = await gate.reserve(host, 1, { delayMs: 0 });
  expect(atMs).toBeGreaterThan(Date.now() + 30_000);
});

test("the row goes when a dead host answers", async () => {
  const { host, gate, rows } = newHost();
  for (let lost = 0; lost < 5; lost++) await gate.report(host, { failed: true });
  expect(await rows()).toHaveLength(1);
  await gate.report(host, { statusCode: 200 });
  expect(await rows()).toEqual([]);
});

test("an object has storage only while it holds a row, and deletes it when nobody has called for an hour", async () => {
  const { host, gate, stub, tables } = newHost();
  await gate.reserve(host, 1, { delayMs: 0 });
  expect(await tables()).toEqual([]);
  for (let lost = 0; lost < 5; lost++) await gate.report(host, { failed: true });
  expect(await tables()).toHaveLength(1);
  expect(await runDurableObjectAlarm(stub)).toBe(true);
  // The host was called a moment ago: its state stays, and the alarm is set again.
  expect(await tables()).toHaveLength(1);
  await evictDurableObject(stub);
  // Nor is it forgotten because the object has been evicted since.
  expect(await runDurableObjectAlarm(stub)).toBe(true);
  expect(await tables()).toHaveLength(1);
  const change = async (fields: object): Promise<void> => {
    await runInDurableObject(stub, (_gate, { storage: { sql } }) => {
      sql.exec("UPDATE host SET state = json_patch(state, ?)", JSON.stringify(fields));
    });
    await evictDurableObject(stub);
  };
  // The circuit is open for longer than the hour.
  await change({ usedAtMs: Date.now() - 3_600_001, keys: { "": { openUntilMs: Date.now() + 60_000 } } });
  expect(await runDurableObjectAlarm(stub)).toBe(true);
  expect(await tables()).toHaveLength(1);
  await change({ keys: { "": { openUntilMs: Date.now() - 1 } } });
  expect(await runDurableObjectAlarm(stub)).toBe(true);
  expect(await tables()).toEqual([]);
  const [atMs = Infinity] = await gate.reserve(host, 1, { delayMs: 0 });
  expect(atMs).toBeLessThanOrEqual(Date.now());
});
