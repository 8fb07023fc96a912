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

test("of the scrapes of a team some begin, and the others wait in the queue, each for longer the more there are", async () => {
  const tasks = Array.from({ length: 100 }, (_, place) => taskOf(`a${place}`));
  const delays: (number | undefined)[] = [];
  for (const task of tasks) delays.push((await deliver(task))[0]?.delaySeconds);
  expect(begun).toEqual(tasks.slice(0, 32));
  expect(delays.slice(0, 32)).toEqual(Array.from({ length: 32 }, () => 60));
  expect([delays[32], delays[99]]).toEqual([1, 9]);
  // Another team's first one waits for none of them.
  await deliver(taskOf("b1", "b"));
  expect(begun.at(-1)?.key.teamId).toBe("b");
  await queuedScrapes.run(taskOf("a0"), () => Promise.resolve());
  // A new one does not pass those that wait.
  expect(await deliver(taskOf("a100"))).toMatchObject([{ delaySeconds: 9 }]);
  await deliver(taskOf("a40"));
  expect(begun.at(-1)?.request.id).toBe("a40");
  expect(await deliver(taskOf("a41"))).toHaveLength(1);
  expect(begun).toHaveLength(34);
});

test("however many messages wait, some are delivered in a second, and the scrapes of all teams that begin are bounded", async () => {
  const queue = new Map<number, PromisedTask[]>();
  const put = (second: number, task: PromisedTask) => queue.set(second, [...(queue.get(second) ?? []), task]);
  for (let place = 0; place < 1_000; place++) put(0, taskOf(`${place}`, `team ${place % 10}`));
  let deliveries = 0;
  for (let second = 0; second < 100; second++) {
    time = second * 1_000;
    const due = queue.get(second) ?? [];
    if (second > 40) deliveries += due.length;
    for (const task of due) for (const { delaySeconds = 0 } of await deliver(task)) put(second + delaySeconds, task);
  }
  expect(begun).toHaveLength(200);
  expect(deliveries / 60).toBeLessThan(50);
});

test("a team with a thousand pending scrapes is told to wait, until some have ended", async () => {
  const ids = Array.from({ length: 1_000 }, (_, place) => `${place}`);
  queuedScrapes.reserve("a", 0);
  const withdraw = queuedScrapes.expect("a", ids);
  await deliver(taskOf("0"));
  for (const id of ["0", "1"]) {
    expect(() => queuedScrapes.reserve("a", 0)).toThrow("1000 pages of earlier searches");
    if (id === "0") queuedScrapes.reserve("b", 0);
    await queuedScrapes.run(taskOf(id), () => Promise.resolve());
    queuedScrapes.reserve("a", 0);
    if (id === "0") queuedScrapes.expect("a", ["more"]);
  }
  // Those that could not be queued count no more.
  queuedScrapes.expect("a", ["more still"]);
  withdraw();
  queuedScrapes.reserve("a", 0);
});
