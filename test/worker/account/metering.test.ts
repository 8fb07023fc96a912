import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { Meter } from "../../../src/core/account/meter.ts";
import { createStepJobs } from "../../../src/platform/jobs/step-job-port.ts";
import { createR2Blobs } from "../../../src/platform/r2-blobs.ts";
import { meterBindings } from "../../../src/platform/metering/meter-bindings.ts";
import type { Task } from "../../../src/core/jobs/task.ts";

/** The platform's bindings with a meter of the test's own. */
function metered() {
  const meter = new Meter();
  return { meter, bindings: meterBindings(env, meter) };
}

const insertSearch = (db: D1Database, id: string): D1PreparedStatement =>
  db.prepare("INSERT INTO searches VALUES (?, 'team', 1, 2)").bind(id);

describe("the metered database", () => {
  test("counts the rows of each statement as D1 reports them", async () => {
    const { meter, bindings } = metered();
    const { meta } = await insertSearch(bindings.DB, "one").run();
    expect(meta.rows_written).toBeGreaterThan(0);
    expect(meter.counts.d1RowsWritten).toBe(meta.rows_written);
    const read = await bindings.DB.withSession("first-primary")
      .prepare("SELECT * FROM searches WHERE id = 'one'")
      .all();
    expect(read.results).toHaveLength(1);
    expect(meter.counts.d1RowsRead).toBe(meta.rows_read + read.meta.rows_read);
  });

  test("counts every statement of a batch, and runs it as one transaction", async () => {
    const { meter, bindings } = metered();
    const results = await bindings.DB.batch(["b1", "b2"].map((id) => insertSearch(bindings.DB, id)));
    expect(meter.counts.d1RowsWritten).toBe(results.reduce((sum, { meta }) => sum + meta.rows_written, 0));
    await expect(bindings.DB.batch(["b3", "b1"].map((id) => insertSearch(bindings.DB, id)))).rejects.toThrow(/UNIQUE/);
    const { results: rows } = await env.DB.prepare("SELECT id FROM searches WHERE id LIKE 'b%' ORDER BY id").run();
    expect(rows).toEqual([{ id: "b1" }, { id: "b2" }]);
  });

  test("returns the first row, or one of its columns, and counts what that has read", async () => {
    const { meter, bindings } = metered();
    await insertSearch(env.DB, "first").run();
    const select = bindings.DB.prepare("SELECT id, team_id FROM searches WHERE id = ?");
    expect(await select.bind("first").first()).toEqual({ id: "first", team_id: "team" });
    expect(await select.bind("first").first("team_id")).toBe("team");
    expect(await select.bind("none").first()).toBeNull();
    expect(meter.counts.d1RowsRead).toBe(2);
  });

  test("refuses methods for which D1 reports no rows", () => {
    const { bindings } = metered();
    expect(() => bindings.DB.prepare("SELECT 1").raw()).toThrow(/cannot count/);
    expect(() => bindings.DB.exec("SELECT 1")).toThrow(/cannot count/);
  });
});

test("the metered bucket counts each operation in its class, and no deletion", async () => {
  const { meter, bindings } = metered();
  const blobs = createR2Blobs(bindings.BUCKET);
  await blobs.put("metering/a", "text");
  expect(await blobs.text("metering/a")).toBe("text");
  expect((await blobs.get("metering/a", { offset: 1, length: 2 }))?.bytes).toEqual(new TextEncoder().encode("ex"));
  await blobs.list("metering/", { after: undefined, limit: 10 });
  await blobs.delete(["metering/a"]);
  expect(await bindings.BUCKET.head("metering/a")).toBeNull();
  expect(meter.counts).toMatchObject({ r2Writes: 2, r2Reads: 3 });
});

test("the metered queue counts each message", async () => {
  const { meter, bindings } = metered();
  const task: Task = { type: "forget_job", jobId: crypto.randomUUID(), createdAtMs: 0 };
  await bindings.TASKS.send(task, { delaySeconds: 600 });
  await bindings.TASKS.sendBatch([
    { body: task, delaySeconds: 600 },
    { body: task, delaySeconds: 600 },
  ]);
  expect(meter.counts.queueMessages).toBe(3);
});

describe("metered objects", () => {
  test("count each call, and the rows that the object reports", async () => {
    const { meter, bindings } = metered();
    const ledger = bindings.KEY_LEDGER.getByName(crypto.randomUUID());
    const slot = { jobId: "job", limit: 1, leaseMs: 60_000 };
    expect(await ledger.takeSlot(slot)).toBe(true);
    expect(await ledger.takeSlot({ ...slot, jobId: "other" })).toBe(false);
    expect(meter.counts).toMatchObject({ durableObjectRequests: 2, durableObjectRowsWritten: 1 });
    await ledger.usage();
    expect(meter.counts).toMatchObject({ durableObjectRequests: 3, durableObjectRowsWritten: 1 });
  });

  test("count the rows of a step job, which its worker run reports as costs", async () => {
    const { meter, bindings } = metered();
    const jobs = createStepJobs(bindings.STEP_JOB);
    const specification = JSON.stringify({ id: "none" });
    await jobs.start(crypto.randomUUID(), {
      specification,
      events: [],
      maxCredits: 5,
      expiresAtMs: Date.now() + 60_000,
    });
    expect(meter.counts.durableObjectRequests).toBe(1);
    expect(meter.counts.durableObjectRowsWritten).toBeGreaterThan(0);
  });

  test("refuse a method that the object does not have", async () => {
    const stub = env.KEY_LEDGER.getByName(crypto.randomUUID());
    const refusals = await runInDurableObject(stub, async (ledger) =>
      Promise.allSettled(["none", "constructor"].map((name) => ledger.measured(name, []))),
    );
    expect(refusals.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });
});
