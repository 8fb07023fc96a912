import { z } from "zod";
import type { Deps } from "../deps.ts";

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

/** Stores and logs messages that were given up. A message that is delivered twice is stored once. */
export async function keepDeadLetters(
  { deadLetters, clock, log }: Pick<Deps, "deadLetters" | "clock" | "log">,
  messages: readonly GivenUpMessage[],
): Promise<void> {
  const arrivedAtMs = clock.now();
  const letters = messages.map(({ id, body }) => ({
    id,
    ...Named.catch({ type: "unknown" }).parse(body),
    arrivedAtMs,
  }));
  for (const { id, type, jobId } of letters) log({ event: "dead_letter", messageId: id, type, jobId });
  await deadLetters.insert(letters);
}
