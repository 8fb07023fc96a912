import { expect, test } from "vitest";
import type { DeadLetter } from "../../../../src/ports/storage/stores.ts";
import { keepDeadLetters } from "../../../../src/services/upkeep/keep-dead-letters.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

test("messages that were given up are named in the log and written down once, whatever they hold", async () => {
  const letters = new Map<string, DeadLetter>();
  const logged: object[] = [];
  const deps = testDeps({
    clock: fixedClock(),
    log: (event: object) => void logged.push(event),
    deadLetters: {
      insert: async (some: readonly DeadLetter[]) => some.forEach((letter) => letters.set(letter.id, letter)),
      count: async () => letters.size,
      purge: async () => 0,
    },
  });
  const messages = [
    { id: "a", body: { type: "job_run", jobId: "job", secret: "fc-0" } },
    { id: "b", body: "no task at all" },
    { id: "c", body: { type: 7 } },
  ];
  await keepDeadLetters(deps, messages);
  await keepDeadLetters(deps, messages);
  expect([...letters.values()].map(({ type, jobId }) => [type, jobId])).toEqual([
    ["job_run", "job"],
    ["unknown", undefined],
    ["unknown", undefined],
  ]);
  expect(logged[0]).toEqual({ event: "dead_letter", messageId: "a", type: "job_run", jobId: "job" });
  expect(JSON.stringify(logged)).not.toContain("no task at all");
});
