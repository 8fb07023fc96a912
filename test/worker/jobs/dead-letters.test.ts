import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import worker from "../../../src/worker.ts";
import { API_KEY } from "../keys.ts";

/** Delivers messages that were given up, of which one has no id that could be read. @returns how each is answered */
async function deliver(attempts: number): Promise<string[]> {
  const request = { id: "no id of a scrape", url: "https://a.example/" };
  const bodies = [
    { type: "purge_expired" },
    { type: "scrape_page", request, key: { id: "key", teamId: "team" } },
    { type: "unknown" },
  ];
  const answers: string[] = [];
  const messages = bodies.map((body, at) => ({
    id: `message ${at}`,
    timestamp: new Date(),
    attempts,
    body,
    ack: () => void (answers[at] = "kept"),
    retry: (options?: QueueRetryOptions) => void (answers[at] = `again after ${options?.delaySeconds} s`),
  }));
  const batch = { queue: "orbweaver-dead-letters", messages } as unknown as MessageBatch;
  await worker.queue(batch, { ...env, API_KEY } as never, createExecutionContext());
  return answers;
}

test("a message that was given up and cannot be kept is tried again later, and does not bring the others back", async () => {
  expect(await deliver(1)).toEqual(["kept", "again after 60 s", "kept"]);
  expect(await deliver(4)).toEqual(["kept", "again after 480 s", "kept"]);
  expect(await deliver(11)).toEqual(["kept", "again after 43200 s", "kept"]);
  const { results } = await env.DB.prepare("SELECT id FROM dead_letters ORDER BY id").run();
  expect(results).toEqual([0, 1, 2].map((at) => ({ id: `message ${at}` })));
});
