import { expect, test } from "vitest";
import { HeldBytes } from "../../../../src/core/waits/held-bytes.ts";
import type { Http } from "../../../../src/ports/outbound/http.ts";
import type { EventContent, OutboxEntry } from "../../../../src/ports/crawl/frontier.ts";
import type { Deps } from "../../../../src/services/deps.ts";
import { deliverEvents } from "../../../../src/services/webhooks/deliver-events.ts";
import { memoryBlobs } from "../../../fakes/memory/memory-blobs.ts";
import { scriptedHttp } from "../../../fakes/upstream/scripted-http.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

const URL = "https://hook.example/";
const OBJECT = "results/2026-01-01/job/event";
const TEXT = '{"answer":4}';
const document = { object: OBJECT, offset: 0, length: TEXT.length };
const GONE = "The data of this event are no longer stored";

test.each<{ why: string; content: EventContent; isStored: boolean; body: object }>([
  { why: "a document", content: { document }, isStored: true, body: { success: true, data: [{ answer: 4 }] } },
  {
    why: "a deleted document",
    content: { document },
    isStored: false,
    body: { success: false, error: GONE, data: [] },
  },
  {
    why: "a failure whose document is deleted",
    content: { document, error: "The page is away" },
    isStored: false,
    body: { success: false, error: "The page is away", data: [] },
  },
  { why: "no data", content: {}, isStored: false, body: { success: true, data: [] } },
])("an event with $why has its data, or the error that they are deleted", async ({ content, isStored, body }) => {
  const http = scriptedHttp({ [URL]: "" });
  const blobs = memoryBlobs();
  const lists = {
    webhookDeliveries: { insert: async () => undefined },
    failedWebhooks: { insert: async () => undefined, remove: async () => undefined },
  };
  const deps = { ...testDeps({ http, blobs, settings: { webhookSecret: "secret" } }), ...lists } as unknown as Deps;
  if (isStored) await blobs.put(OBJECT, TEXT, { contentType: "application/json" });
  const entry: OutboxEntry = { entryId: 1, webhookId: "id", event: "completed", content, attempts: 1 };
  const waiting = [[entry]];
  const outbox = { takeEvents: async () => waiting.shift() ?? [], noteSent: async () => undefined };
  const webhook = { url: URL, headers: {}, metadata: {}, events: [] };
  const job = { id: "job", kind: "agent", key: { teamId: "team" }, createdAtMs: deps.clock.now(), webhook } as const;
  await deliverEvents(deps, outbox, job);
  const sent = await Promise.all(
    http.seen.map(async ({ body: text }) => JSON.parse(await new Response(text as BodyInit).text()) as object),
  );
  expect(sent).toEqual([{ type: "agent.completed", id: "job", webhookId: "id", metadata: {}, ...body }]);
});

const DOCUMENT_CHARS = 100_000;
const LARGE = { content: { document: { object: OBJECT, offset: 0, length: DOCUMENT_CHARS } } };
const LARGE_DATA = { content: { data: "x".repeat(DOCUMENT_CHARS) }, contentChars: DOCUMENT_CHARS };

/** Jobs of teams with an event of a page each, whose receiver answers when `answer` is called; `memory` has room for 3 bodies. */
async function largeEvents(
  teams: readonly string[],
  entry: Pick<OutboxEntry, "content" | "contentChars"> = LARGE,
  memory = new HeldBytes({ ofTeam: 300_000, inAll: 600_000 }),
) {
  const flight = { now: 0, most: 0, sent: 0 };
  const noted: number[] = [];
  const answers: (() => void)[] = [];
  const request = async () => {
    flight.sent++;
    flight.most = Math.max(flight.most, ++flight.now);
    await new Promise<void>((resolve) => answers.push(resolve));
    flight.now--;
    return { kind: "response", response: { url: URL, statusCode: 200, headers: {}, body: new Uint8Array() } };
  };
  const blobs = memoryBlobs();
  await blobs.put(OBJECT, JSON.stringify("x".repeat(DOCUMENT_CHARS - 2)));
  const deps = {
    ...testDeps({ http: { request } as unknown as Http, blobs, settings: { webhookSecret: "secret" } }),
    clock: { now: () => Date.now() },
    sleep: async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms / 50)),
    memory,
    webhookDeliveries: { insert: async () => undefined },
    failedWebhooks: { insert: async () => undefined, remove: async () => undefined },
  } as unknown as Deps;
  const jobs = teams.map((teamId, place) => {
    const waiting = [[{ entryId: place, webhookId: "id", event: "page", ...entry, attempts: 0 }]] as OutboxEntry[][];
    const noteSent = async () => void noted.push(place);
    const outbox = { takeEvents: async () => waiting.shift() ?? [], noteSent };
    const webhook = { url: URL, headers: {}, metadata: {}, events: [] };
    const job = {
      id: `job ${place}`,
      kind: "batch_scrape",
      key: { teamId },
      createdAtMs: Date.now(),
      webhook,
    } as const;
    return { outbox, job };
  });
  const answer = async (): Promise<void> => {
    while (answers.length > 0) answers.shift()?.();
    await new Promise((resolve) => setTimeout(resolve, 2));
  };
  return { deps, jobs, flight, noted, answer };
}

test.each([
  ["documents", LARGE],
  ["data", LARGE_DATA],
])("the %s of many jobs are in memory as far as there is room, and another team has its own", async (_what, entry) => {
  const teams = [...Array.from({ length: 12 }, () => "a"), "b"];
  const { deps, jobs, flight, noted, answer } = await largeEvents(teams, entry);
  const deliveries = jobs.map(({ outbox, job }) => deliverEvents(deps, outbox, job));
  await expect.poll(() => flight.now).toBeGreaterThanOrEqual(2);
  const isOver = Promise.all(deliveries).then(() => true);
  while (!(await Promise.race([isOver, answer()]))) expect(deps.memory.bytesOf("a")).toBeLessThanOrEqual(400_000);
  expect(noted.toSorted((one, other) => one - other)).toEqual(jobs.map((_, place) => place));
  // One of the other team.
  expect(flight.most).toBeLessThanOrEqual(4);
  expect([flight.sent, deps.memory.bytesOf("a"), deps.memory.bytesOf("b")]).toEqual([13, 0, 0]);
});

test("a group with large documents is sent in parts, one after the other", async () => {
  const { deps, jobs, flight, noted, answer } = await largeEvents(["a"], LARGE, new HeldBytes());
  const [first] = jobs;
  if (first === undefined) throw new Error("There is one");
  const entryOf = (entryId: number, length: number): OutboxEntry => {
    const content = { document: { object: OBJECT, offset: 0, length } };
    return { entryId, webhookId: `${entryId}`, event: "page", content, attempts: 0 };
  };
  const waiting = [[3_000_000, 900_000, 900_000, 900_000].map((length, place) => entryOf(place, length))];
  const outbox = { ...first.outbox, takeEvents: async () => waiting.shift() ?? [] };
  const held: number[] = [];
  const take = deps.memory.tryTake.bind(deps.memory);
  deps.memory.tryTake = (owner, bytes, left) => (held.push(bytes), take(owner, bytes, left));
  const isOver = deliverEvents(deps, outbox, first.job).then(() => true);
  while (!(await Promise.race([isOver, answer()])));
  expect(held).toEqual([9_000_000, 5_400_000, 2_700_000]);
  expect([flight.sent, noted.length]).toEqual([4, 3]);
  expect(flight.most).toBeLessThanOrEqual(2);
});

test("events without room stay in the outbox when the job ends, and before they are due again", async () => {
  const { deps, jobs, flight, noted } = await largeEvents(["a", "a"]);
  deps.memory.hold({ teamId: "a", keyId: "" }, 290_000);
  const [ending, going] = jobs;
  if (ending === undefined || going === undefined) throw new Error("There are two");
  const sending = { untilMs: Infinity, taken: [] };
  const delivering = deliverEvents(deps, ending.outbox, ending.job, sending);
  sending.untilMs = Date.now() + 20;
  await delivering;
  expect(sending.taken).toHaveLength(1);
  // Half of the time for which taken events are hidden.
  let nowMs = Date.now();
  const later = { ...deps, clock: { now: () => (nowMs += 10_000) } };
  const goingOn = { untilMs: Infinity, taken: [] };
  await deliverEvents(later, going.outbox, going.job, goingOn);
  expect([goingOn.taken, flight.sent, noted]).toEqual([[], 0, []]);
});

test("groups that would be sent beyond their hold are left, also by a later call", async () => {
  const { deps, jobs } = await largeEvents(["a"], LARGE, new HeldBytes());
  const [first] = jobs;
  if (first === undefined) throw new Error("There is one");
  let nowMs = 1_000_000;
  let sent = 0;
  const request = async () => {
    sent++;
    nowMs += 9_500;
    return { kind: "response", response: { url: URL, statusCode: 200, headers: {}, body: new Uint8Array() } };
  };
  const content = { document: { object: OBJECT, offset: 0, length: 1_100_000 } };
  const waiting = [
    Array.from({ length: 20 }, (_, entryId) => ({
      entryId,
      webhookId: `${entryId}`,
      event: "page",
      content,
      attempts: 0,
    })),
  ] as OutboxEntry[][];
  const outbox = { ...first.outbox, takeEvents: async () => waiting.shift() ?? [] };
  const own = { ...deps, http: { request } as unknown as Http, clock: { now: () => nowMs } };
  const sending = { untilMs: nowMs + 20_000, taken: [] };
  await deliverEvents(own, outbox, first.job, sending);
  expect([sent, sending.taken.length]).toEqual([3, 17]);
  sending.untilMs = Infinity;
  await deliverEvents(own, outbox, first.job, sending);
  // The sixth is sent 47.5 s after the take, and the seventh would be sent after 57 s.
  expect([sent, sending.taken]).toEqual([6, []]);
});
