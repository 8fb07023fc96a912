import { createExecutionContext, createMessageBatch, createScheduledController, getQueueResult, waitOnExecutionContext } from "cloudflare:test"; // prettier-ignore
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Task } from "../../../src/core/jobs/task.ts";
import type { Env } from "../../../src/env.ts";
import { eventJobId } from "../../../src/services/monitors/check-job.ts";
import worker from "../../../src/worker.ts";
import { API_KEY } from "../keys.ts";

const HOOK = "https://hooks.example/in";
const WAIT = { timeout: 20_000, interval: 50 };
const WORDS = "The orb-weaver takes its web down each night and builds a new one before dawn. ".repeat(12);

let page: string;
/** Status with which the receiver of the events answers. */
let answer: number;
let told: { type: string; data: Record<string, unknown>[] }[];
let sent: Task[];
let service: Env;

beforeEach(() => {
  page = WORDS;
  answer = 204;
  told = [];
  sent = [];
  const queue = {
    send: async (task: Task) => void sent.push(task),
    sendBatch: async (messages: { body: Task }[]) => void sent.push(...messages.map(({ body }) => body)),
  };
  // The bindings of the tests with a queue that is worked off by hand: hence the cast.
  service = { ...env, TASKS: queue, MONITORS: queue, SCRAPES: queue } as unknown as Env;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input as RequestInfo, init as RequestInit);
    const { hostname, pathname } = new URL(request.url);
    if (hostname === "hooks.example") told.push(await request.json());
    if (hostname === "hooks.example") return new Response(null, { status: answer });
    if (hostname !== "pages.example")
      return Response.json({ Status: 0, Answer: [{ type: 1, TTL: 60, data: "93.184.215.14" }] });
    if (pathname !== "/webs") return new Response(null, { status: 404 });
    const html = `<title>Webs</title><article><h1>Webs</h1><p>${page}</p></article>`;
    return new Response(html, { headers: { "content-type": "text/html" } });
  });
});
afterEach(() => vi.restoreAllMocks());

async function ask<Data>(method: string, path: string, body?: unknown): Promise<Data> {
  const request = new Request(`http://service.example${path}`, {
    method,
    headers: { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const context = createExecutionContext();
  // What workerd calls a request has properties of its own, which no test needs: hence the cast.
  const response = await worker.fetch(request as Parameters<typeof worker.fetch>[0], service, context);
  const answer = await response.json<Data>();
  // Readers leave nothing behind but the metrics, which wait two seconds for more.
  if (method !== "GET") await waitOnExecutionContext(context);
  return answer;
}

/** The cron as the platform fires it, and the queue until it is empty. @returns how messages were answered. */
async function fire(cron: string): Promise<{ acknowledged: number; retried: number }> {
  const context = createExecutionContext();
  await worker.scheduled(createScheduledController({ cron, scheduledTime: new Date() }), service, context);
  let [acknowledged, retried] = [0, 0];
  while (sent.length > 0) {
    const messages = sent
      .splice(0)
      .map((body) => ({ id: crypto.randomUUID(), timestamp: new Date(), attempts: 1, body }));
    const batch = createMessageBatch("orbweaver-tasks", messages);
    await worker.queue(batch, service, context);
    const result = await getQueueResult(batch, context);
    acknowledged += result.explicitAcks.length;
    retried += result.retryMessages.length;
  }
  await waitOnExecutionContext(context);
  return { acknowledged, retried };
}

test("the cron begins checks that are due, and their jobs bring them to their end", async () => {
  interface Made {
    data: { id: string };
  }
  const { data } = await ask<Made>("POST", "/v2/monitor", {
    name: "Webs",
    schedule: { text: "hourly" },
    targets: [{ type: "scrape", urls: ["https://pages.example/webs"] }],
    webhook: { url: HOOK },
  });
  const path = `/v2/monitor/${data.id}`;
  const makeDue = () => env.DB.prepare("UPDATE monitors SET next_run_at_ms = 1 WHERE id = ?").bind(data.id).run();
  const checks = async () => (await ask<{ data: Record<string, unknown>[] }>("GET", `${path}/checks`)).data;

  await makeDue();
  await fire("17 * * * *");
  expect(await checks(), "the other cron begins none").toEqual([]);
  /** Runs the cron, and waits until the object of the check's job has brought the check to its end. */
  const runCheck = async (): Promise<void> => {
    const { length } = await checks();
    // The cron's two messages, and the one that starts the monitor.
    expect(await fire("*/5 * * * *")).toEqual({ acknowledged: 3, retried: 0 });
    await vi.waitFor(async () => {
      const [newest, ...older] = await checks();
      expect(older).toHaveLength(length);
      expect(newest?.["finishedAt"]).not.toBeNull();
      expect((await env.DB.prepare("SELECT * FROM monitor_events").run()).results).toEqual([]);
    }, WAIT);
  };
  await runCheck();
  expect(await checks()).toMatchObject([
    { status: "completed", trigger: "scheduled", actualCredits: 1, summary: { new: 1 } },
  ]);
  page = `${WORDS} It eats the old one.`;
  await makeDue();
  await runCheck();
  expect(await checks()).toMatchObject([{ summary: { changed: 1 } }, { summary: { new: 1 } }]);
  expect(told.map(({ type, data: [about] }) => `${type} ${String(about?.["status"])}`)).toEqual([
    "monitor.page new",
    "monitor.check.completed completed",
    "monitor.page changed",
    "monitor.check.completed completed",
  ]);

  await ask("PATCH", path, { name: "Spiders", webhook: null, targets: [{ type: "scrape", urls: ["https://pages.example/gone"] }] }); // prettier-ignore
  await makeDue();
  await runCheck();
  expect((await checks())[0]).toMatchObject({ status: "failed", summary: { error: 1, totalPages: 1 } });
  const { totals } = await ask<{ totals: { credits: number } }>("GET", "/v2/team/usage");
  expect(totals.credits).toBe(3);
  expect(await ask("DELETE", path)).toEqual({ success: true });
  expect((await env.DB.prepare("SELECT * FROM monitor_states WHERE monitor_id = ?").bind(data.id).run()).results).toEqual([]); // prettier-ignore
});

test("the cron has the object of a job send the events of a check again", async () => {
  interface Made {
    id: string;
    data: { id: string };
  }
  const { data } = await ask<Made>("POST", "/v2/monitor", {
    name: "Webs",
    schedule: { text: "weekly" },
    targets: [{ type: "scrape", urls: ["https://pages.example/webs"] }],
    webhook: { url: HOOK },
  });
  const events = async () => (await env.DB.prepare("SELECT attempts FROM monitor_events").run()).results;
  answer = 500;
  const { id: checkId } = await ask<Made>("POST", `/v2/monitor/${data.id}/run`, {});
  await expect.poll(events, WAIT).toEqual([{ attempts: 1 }, { attempts: 1 }]);
  answer = 204;
  await env.DB.prepare("UPDATE monitor_events SET due_at_ms = 0").run();
  expect(await fire("*/5 * * * *")).toEqual({ acknowledged: 3, retried: 0 });
  await expect.poll(events, WAIT).toEqual([]);
  expect(told).toHaveLength(4);
  const stub = env.STEP_JOB.getByName(eventJobId(checkId));
  await expect.poll(async () => await stub.progress(), WAIT).toBeUndefined();
  await ask("DELETE", `/v2/monitor/${data.id}`);
});
