import { expect, test } from "vitest";
import { createTables } from "../../../../src/storage/crawl/frontier-tables.ts";
import { leastProcessorMs } from "../../../processor-time.ts";
import { nextEventMs, noteSent, post, takeDueEvents } from "../../../../src/storage/webhooks/outbox.ts";
import { nodeSql } from "../../../fakes/memory/node-sql.ts";

/** An outbox with an event of a page for each length of its document. */
function outboxOf(lengths: readonly number[]) {
  const sql = nodeSql();
  createTables(sql);
  const posting = { sql, state: { config: { events: ["page"] as const } }, nowMs: 0 };
  const add = (length: number) => post(posting, "page", { document: { object: "o", offset: 0, length } });
  for (const length of lengths) add(length);
  const take = (nowMs: number, limit = 20) => takeDueEvents(sql, { limit, nowMs, holdMs: 60_000 });
  const lengthsOf = (entries: ReturnType<typeof take>) => entries.map(({ content }) => content.document?.length);
  return { sql, take, lengthsOf, add };
}

test("no more documents are taken at a time than an isolate holds, and a larger one alone", () => {
  const { sql, take, lengthsOf } = outboxOf([3e6, 3e6, 3e6, 50e6, 1e6, 1e6]);
  const taken = [];
  for (let entries = take(0); entries.length > 0; entries = take(0)) {
    taken.push(lengthsOf(entries));
    noteSent(sql, entries.map((entry) => ({ ...entry, kind: "delivered" })), 0); // prettier-ignore
  }
  expect(taken).toEqual([[3e6, 3e6], [3e6], [50e6], [1e6, 1e6]]);
});

test("events that are not taken stay due, and taken ones are due again after the hold", () => {
  const { take, lengthsOf } = outboxOf([5e6, 5e6, 10, 10]);
  expect(lengthsOf(take(0))).toEqual([5e6]);
  expect(lengthsOf(take(0, 2))).toEqual([5e6, 10]);
  expect(lengthsOf(take(59_999))).toEqual([10]);
  expect(lengthsOf(take(60_000))).toEqual([5e6]);
});

test.each(["delivered", "failed"] as const)("outcomes that are reported again leave new events alone: %s", (kind) => {
  const { sql, take, lengthsOf, add } = outboxOf([10, 20]);
  const notes = take(0).map((entry) => ({ ...entry, kind }));
  noteSent(sql, notes.map((note) => ({ ...note, kind: "delivered" })), 0); // prettier-ignore
  add(30);
  noteSent(sql, notes, 0);
  const [entry, ...others] = take(0);
  expect([entry?.entryId, entry?.attempts, others]).toEqual([1, 0, []]);
  expect(lengthsOf(entry === undefined ? [] : [entry])).toEqual([30]);
});

test("a failure that is reported again counts one attempt, also of a run that does not name the attempts", () => {
  const { sql, take } = outboxOf([10]);
  const [entry] = take(0);
  if (entry === undefined) throw new Error("An event waits");
  for (let times = 0; times < 2; times++) noteSent(sql, [{ ...entry, kind: "failed" }], 0);
  const [again] = take(60_000);
  expect(again?.attempts).toBe(1);
  noteSent(sql, [{ entryId: entry.entryId, webhookId: entry.webhookId, kind: "failed" }], 60_000);
  expect(take(360_000)[0]?.attempts).toBe(2);
});

test("events that were given up are not read again with each look at the others", async () => {
  const { sql, take, lengthsOf } = outboxOf([10, 20]);
  sql.rows(
    `WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 20000)
     INSERT INTO outbox (id, webhook_id, event, content, attempts, due_at_ms, lost) SELECT -n, 'w', 'page', '{}', 4, 0, 1 FROM number`,
  );
  const [first] = take(0, 1);
  if (first !== undefined) noteSent(sql, [{ ...first, kind: "failed" }], 0);
  const look = (): void => {
    for (let times = 0; times < 200; times++) expect(nextEventMs(sql)).toBe(0);
  };
  expect(await leastProcessorMs(look, 100)).toBeLessThan(100);
  expect(await leastProcessorMs(() => { for (let times = 0; times < 200; times++) take(-1); }, 100)).toBeLessThan(100); // prettier-ignore
  expect(lengthsOf(take(0))).toEqual([20]);
  expect(nextEventMs(sql)).toBe(60_000);
});

test("many events that wait for a slow receiver get the index, and few get none", async () => {
  const { sql, take } = outboxOf([]);
  const add = (count: number): unknown =>
    sql.rows(
      `WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?)
       INSERT INTO outbox (webhook_id, event, content, attempts, due_at_ms, lost) SELECT 'w', 'page', '{}', 0, 0, 0 FROM number`,
      count,
    );
  const hasIndex = () => sql.rows("SELECT 1 FROM sqlite_master WHERE name = 'outbox_due'").length === 1;
  add(900);
  const first = take(0);
  noteSent(sql, first.map((entry) => ({ ...entry, kind: "delivered" })), 0); // prettier-ignore
  expect([first.length, hasIndex()]).toEqual([20, false]);
  add(20_000);
  const second = take(0);
  noteSent(sql, second.map((entry) => ({ ...entry, kind: "delivered" })), 0); // prettier-ignore
  expect([second.length, hasIndex()]).toEqual([20, true]);
  const look = (): void => {
    for (let times = 0; times < 200; times++) expect(nextEventMs(sql)).toBe(0);
  };
  expect(await leastProcessorMs(look, 50)).toBeLessThan(50);
});
