import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { HealthJudge, processorWaitMs } from "../../../../src/tools/service/health-judge.ts";

/** @returns after how many questions without an answer the service counts as hanging */
const questionsUntilHung = (waitMs: number): number => {
  const judge = new HealthJudge();
  for (let questions = 1; ; questions++) if (judge.note(false, waitMs)) return questions;
};

test("a service hangs that does not answer twice, and later where it waits for a processor", () => {
  expect(questionsUntilHung(0)).toBe(2);
  expect(questionsUntilHung(6_500)).toBe(8);
});

test("an answer ends the doubt", () => {
  const judge = new HealthJudge();
  for (let round = 0; round < 5; round++) {
    expect(judge.note(false, 0)).toBe(false);
    expect(judge.isInDoubt).toBe(true);
    expect(judge.note(true, 0)).toBe(false);
    expect(judge.isInDoubt).toBe(false);
  }
});

test("the wait is that of the workerd that waited longest", () => {
  const proc = mkdtempSync(join(tmpdir(), "orbweaver-proc-"));
  const add = (pid: number, comm: string, schedstat: string): void => {
    mkdirSync(join(proc, String(pid)));
    writeFileSync(join(proc, String(pid), "comm"), `${comm}\n`);
    writeFileSync(join(proc, String(pid), "schedstat"), schedstat);
  };
  add(1, "node", "5 9000000000 1\n");
  add(2, "workerd", "5000000 2500000000 1\n");
  add(3, "workerd", "5000000 1000000 1\n");
  expect(processorWaitMs([1, 2, 3, 4], proc)).toBe(2_500);
  expect(processorWaitMs([1], proc)).toBe(0);
  rmSync(proc, { recursive: true });
});
