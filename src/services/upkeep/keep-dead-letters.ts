import { z } from "zod";
import { Task } from "../../core/jobs/task.ts";
import type { Deps } from "../deps.ts";
import { failPromised } from "../scrape/scrape-later.ts";

type PromiseDeps = "scrapes" | "settings" | "clock" | "keyLedger" | "pendingScrapes";

/** A message that was tried as often as its queue allows, as the platform delivers it. */
export interface GivenUpMessage {
  id: string;
  body: unknown;
}

/** Fields of a message. Lenient, since an unreadable message is one of the reasons why messages are given up. */
const Named = z.object({
  type: z.string().max(100).catch("unknown"),
  jobId: z.string().max(100).optional().catch(undefined),
});

/**
 * Stores and logs messages that were given up, and the failures of queued scrapes, which callers would wait for. A message
 * that is delivered twice is stored once.
 */
export async function keepDeadLetters(
  deps: Pick<Deps, "deadLetters" | "log" | PromiseDeps>,
  messages: readonly GivenUpMessage[],
): Promise<void> {
  const { deadLetters, clock, log } = deps;
  const arrivedAtMs = clock.now();
  const letters = messages.map(({ id, body }) => ({
    id,
    ...Named.catch({ type: "unknown" }).parse(body),
    arrivedAtMs,
  }));
  for (const { id, type, jobId } of letters) log({ event: "dead_letter", messageId: id, type, jobId });
  await deadLetters.insert(letters);
  await Promise.all(messages.map(({ body }) => failScrape(deps, body)));
}

async function failScrape(deps: Pick<Deps, PromiseDeps>, body: unknown): Promise<void> {
  const { data: task } = Task.safeParse(body);
  if (task?.type === "scrape_page") await failPromised(deps, task);
}
