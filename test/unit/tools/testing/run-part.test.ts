import { constants, getPriority } from "node:os";
import { expect, test } from "vitest";
import { runPart } from "../../../../src/tools/testing/run-part.ts";

const PROGRAM = "../test/fixtures/programs/end-with-niceness.mjs";

test("a part runs with the priority of its starter, or with the lower one that it is given", async () => {
  const codeWith = async (niceness?: number): Promise<number | undefined> =>
    (await runPart(PROGRAM, [], { timeoutMs: 60_000, ...(niceness === undefined ? {} : { niceness }) })).code;
  expect(await codeWith()).toBe(getPriority());
  expect(await codeWith(5)).toBe(Math.min(constants.priority.PRIORITY_LOW, getPriority() + 5));
});

test("a part that fills gaps gives way to processes of all sessions", async () => {
  const before = getPriority();
  const program = "../test/fixtures/programs/end-with-session-niceness.mjs";
  const { code } = await runPart(program, [], { timeoutMs: 60_000, fillsGaps: true });
  expect(code).toBe(constants.priority.PRIORITY_LOW);
  expect(getPriority()).toBe(before);
});
