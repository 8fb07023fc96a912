import { expect, test } from "vitest";
import type { Task } from "../../../../src/core/jobs/task.ts";
import { createTaskQueue } from "../../../../src/platform/jobs/task-queue.ts";
import { runTask } from "../../../../src/services/upkeep/run-task.ts";
import { createMonitorStore } from "../../../../src/storage/monitors/monitors.ts";
import { countedDatabase } from "../../../fakes/memory/counted-database.ts";
import { nodeD1 } from "../../../fakes/memory/node-d1.ts";
import { monitorService } from "../../../fakes/services/monitor-service.ts";
import { Invocation } from "../../../platform/invocation.ts";
import { isShort } from "../../../sample.ts";
import { assertMessageBatch } from "../../../platform/value-limits.ts";
import { memoryBlobs } from "../../../fakes/memory/memory-blobs.ts";

const MONITORS = isShort() ? 20_000 : 100_000;
/** Messages whose checks are started here; the others are only counted, since starting them takes a minute of SQLite. */
const STARTED_MESSAGES = 20;
/** What the platform is assumed to take: a statement of a database that runs one at a time, and a call of an object. */
const STATEMENT_MS = 0.5;
const CALL_MS = 30;
const CONSUMERS = 250;

test(`${MONITORS} monitors that are due at once are started within minutes, none of them twice`, async () => {
  let invocation = new Invocation();
  const database = nodeD1();
  const sent: Task[] = [];
  let sendCalls = 0;
  const queue = {
    sendBatch: async (messages: Iterable<{ body: Task }>) => {
      const bodies = [...messages].map(({ body }) => body);
      assertMessageBatch(bodies);
      sendCalls++;
      sent.push(...bodies);
    },
  } as unknown as Queue;
  const service = monitorService({
    ports: {
      monitors: createMonitorStore(
        countedDatabase(database, () => invocation),
        memoryBlobs(),
      ),
      tasks: createTaskQueue({ TASKS: queue, MONITORS: queue, SCRAPES: queue }),
    },
  });
  const id = await service.create();
  const dueAtMs = (await service.deps.monitors.find(id))?.nextRunAtMs ?? 0;
  await database
    .prepare(
      `WITH RECURSIVE n (at) AS (SELECT 2 UNION ALL SELECT at + 1 FROM n WHERE at < ?)
       INSERT INTO monitors SELECT printf('%08d', at), team_id, key_id, name, status, config, next_run_at_ms, NULL, NULL,
         NULL, created_at_ms, updated_at_ms FROM n, monitors WHERE id = ?`,
    )
    .bind(MONITORS, id)
    .run();
  service.clock.advance(dueAtMs - service.clock.now() + 1);

  invocation = new Invocation();
  await runTask(service.deps, { type: "run_due_monitors" });
  expect(invocation.queries).toBeLessThan(100);
  const ids = sent.flatMap((task) => (task.type === "start_monitors" ? task.ids : []));
  expect(new Set(ids).size).toBe(MONITORS);
  expect(ids).toHaveLength(MONITORS);
  expect(sendCalls).toBeLessThanOrEqual(30);

  let mostQueries = 0;
  for (const task of sent.slice(0, STARTED_MESSAGES)) {
    invocation = new Invocation();
    await runTask(service.deps, task);
    mostQueries = Math.max(mostQueries, invocation.queries);
    // A second delivery finds nothing to start.
    invocation = new Invocation();
    await runTask(service.deps, task);
    expect(invocation.queries).toBe(1);
  }
  const started = STARTED_MESSAGES * 50;
  expect(service.runs).toHaveLength(started);
  expect(new Set(service.runs).size).toBe(started);
  expect(mostQueries).toBeLessThan(500);

  const minutes = minutesFor({ messages: sent.length, queriesAMessage: mostQueries });
  console.log(`${sent.length} messages of at most ${mostQueries} queries: ${minutes.toFixed(1)} minutes`);
  expect(minutes).toBeLessThan(10);
}, 120_000);

/**
 * Time until the last message is done: each message takes its turn at the database, and calls two objects a monitor.
 * Consumers begin with one and double when all have finished a message, as far as the platform lets them.
 */
function minutesFor({ messages, queriesAMessage }: { messages: number; queriesAMessage: number }): number {
  const databaseMs = queriesAMessage * STATEMENT_MS;
  const alone = databaseMs + 50 * 3 * CALL_MS;
  let left = messages;
  let ms = 0;
  for (let consumers = 1; left > 0; consumers = Math.min(CONSUMERS, consumers * 2)) {
    ms += Math.max(alone, Math.min(consumers, left) * databaseMs);
    left -= consumers;
  }
  return ms / 60_000;
}
