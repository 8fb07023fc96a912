import { z } from "zod";
import type { Deps } from "../deps.ts";

/** A message that was tried as often as its queue allows, as the platform hands it over. */
export interface GivenUpMessage {
  id: string;
  body: unknown;
}

/** Read only as far as needed: what cannot be read is among the reasons why messages are given up. */
const Named = z.object({
  type: z.string().max(100).catch("unknown"),
  jobId: z.string().max(100).optional().catch(undefined),
});

/** Writes down that messages were given up, and tells the log. What comes twice is written once. */
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
