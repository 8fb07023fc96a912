import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startWorker, type IsolateWorker } from "./isolate/start-worker.ts";

let worker: IsolateWorker;

beforeAll(async () => {
  worker = await startWorker();
});
afterAll(() => worker.stop());

/** Time after which a request has reached its wait. */
const ARRIVAL_MS = 200;

test("a request that another one wakes goes on by itself, and its timer stops", async () => {
  const waiting = worker.call("/wait", "a body of its own");
  await expect.poll(() => worker.call("/rechecks")).toBeGreaterThan(2);
  await worker.call("/grant");
  expect(await waiting).toEqual({ value: "granted", body: "a body of its own", rechecksAfterwards: 0 });
});

test("conversions that requests hand to each other leave no timers in those that waited", async () => {
  const looks = await Promise.all([1, 2, 3, 4].map(() => worker.call("/convert")));
  expect(looks).toEqual([0, 0, 0, 0]);
});

test("a page that begins when another request's page ends takes one place, once", async () => {
  const held = worker.call("/hold-page");
  await sleep(ARRIVAL_MS);
  const next = worker.call("/next-page");
  await sleep(ARRIVAL_MS);
  await worker.call("/end-page");
  expect(await held).toBe("left");
  expect(await next).toBe(true);
});
