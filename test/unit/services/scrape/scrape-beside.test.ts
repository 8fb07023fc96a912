import { beforeEach, expect, test } from "vitest";
import type { Task } from "../../../../src/core/jobs/task.ts";
import { QueuedScrapes } from "../../../../src/core/scrape/queued-scrapes.ts";
import { scrapeBeside } from "../../../../src/services/scrape/scrape-beside.ts";

type PromisedTask = Extract<Task, { type: "scrape_page" }>;

const taskOf = (id: string, teamId = "a"): PromisedTask => ({
  type: "scrape_page",
  request: { id, url: "https://a.example/" },
  key: { id: `key of ${teamId}`, teamId },
});

let time: number;
let sent: { task: Task; delaySeconds: number | undefined }[];
let begun: PromisedTask[];
let queuedScrapes: QueuedScrapes;
beforeEach(() => {
  [time, sent, begun] = [0, [], []];
  queuedScrapes = new QueuedScrapes({ places: 2, nowMs: () => time });
});

/** Delivers a message. @returns the copies that are in the queue after it */
async function deliver(task: PromisedTask, start = async (each: PromisedTask) => void begun.push(each)) {
  const before = sent.length;
  const send = async (copy: Task, { delaySeconds }: { delaySeconds?: number } = {}) =>
    void sent.push({ task: copy, delaySeconds });
  await scrapeBeside(
    { queuedScrapes, tasks: { send, sendAll: () => Promise.reject(new Error("unused")) } },
    task,
    start,
  );
  return sent.slice(before);
}

test("a delivery begins a scrape without waiting for it, and its message stays until it has ended", async () => {
  const task = taskOf("1");
  expect(await deliver(task)).toEqual([{ task, delaySeconds: 60 }]);
  const ended = Promise.withResolvers<void>();
  const running = queuedScrapes.run(task, () => ended.promise);
  expect(await deliver(task)).toHaveLength(1);
  ended.resolve();
  await running;
  expect(await deliver(task)).toEqual([]);
  // A second copy, such as one of a delivery that was cut off.
  expect(await deliver(task)).toEqual([]);
  expect(begun).toEqual([task]);
});

test("a scrape that fails is run again, and after the third run its message is left to the queue's retries", async () => {
  const task = taskOf("1");
  for (let run = 1; run <= 3; run++) {
    expect(await deliver(task)).toHaveLength(1);
    await queuedScrapes.run(task, () => Promise.reject(new Error("no room")));
  }
  expect(begun).toHaveLength(3);
  await expect(deliver(task)).rejects.toThrow("no room");
  await expect(deliver(task)).rejects.toThrow("no room");
  expect(begun).toHaveLength(3);
});

test("a scrape that could not be started, or whose run shows no life, is run again", async () => {
  const [unstarted, lost] = [taskOf("1"), taskOf("2")];
  expect(await deliver(unstarted, () => Promise.reject(new Error("no invocation")))).toHaveLength(1);
  await deliver(lost);
  await deliver(unstarted);
  time += 119_999;
  await deliver(lost);
  expect(begun).toEqual([lost, unstarted]);
  time += 1;
  await deliver(lost);
  expect(begun).toEqual([lost, unstarted, lost]);
});

test("a message of which no copy could be sent is delivered again, and its scrape is not lost", async () => {
  const task = taskOf("1");
  const full = { send: () => Promise.reject(new Error("queue full")), sendAll: () => Promise.resolve() };
  const delivering = scrapeBeside({ queuedScrapes, tasks: full }, task, async (each) => void begun.push(each));
  await expect(delivering).rejects.toThrow("queue full");
  expect(begun).toEqual([]);
  await deliver(task);
  expect(begun).toEqual([task]);
});

test("the scrapes of a team run some at a time, and those of other teams beside them", async () => {
  const running: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (id: string, teamId: string): Promise<void> =>
    queuedScrapes.run(taskOf(id, teamId), () => {
      running.push(id);
      return new Promise((resolve) => ends.set(id, resolve));
    });
  const all = ["a1", "a2", "a3", "a4"].map((id) => run(id, "a"));
  all.push(run("b1", "b"));
  const turn = () => new Promise((resolve) => setTimeout(resolve, 10));
  await turn();
  expect(running.toSorted()).toEqual(["a1", "a2", "b1"]);
  for (const id of ["a1", "a2", "b1", "a3", "a4"]) {
    ends.get(id)?.();
    await turn();
  }
  await Promise.all(all);
  expect(running).toHaveLength(5);
});
