import { beforeEach, describe, expect, test } from "vitest";
import { NO_COUNTS } from "../../../../src/core/account/meter.ts";
import { nextEventMs, takeDueEvents } from "../../../../src/storage/webhooks/outbox.ts";
import { StepJobRecord } from "../../../../src/storage/jobs/step-job.ts";
import { InjectedFailure, nodeSql, type NodeSql } from "../../../fakes/memory/node-sql.ts";

let sql: NodeSql;
let job: StepJobRecord;
beforeEach(() => {
  sql = nodeSql();
  job = new StepJobRecord(sql);
  job.start({ specification: "{}", events: ["started", "completed", "failed"], maxCredits: 10, expiresAtMs: 1_000 }, 1);
});

const events = (): string[] => takeDueEvents(sql, { limit: 10, nowMs: 100, holdMs: 1 }).map(({ event }) => event);
const done = (key: string, credits: number, text = '"x"') => {
  job.begin({ key, credits }, 5);
  job.finish({ key, credits, result: { text } }, 6);
};

describe("a job of steps", () => {
  test("begins once, and tells so", () => {
    job.start({ specification: "other", events: [], maxCredits: 1, expiresAtMs: 5 }, 2);
    expect(job.specification()).toBe("{}");
    expect(job.progress()).toMatchObject({ status: "scraping", createdAtMs: 1, expiresAtMs: 1_000, steps: 0 });
    expect(events()).toEqual(["started"]);
  });

  test("keeps fields of its state that a later version has written", () => {
    sql.rows("UPDATE job SET state = json_set(state, '$.later', 1, '$.config.later', 2)");
    const restarted = new StepJobRecord(sql);
    restarted.begin({ key: "a", credits: 2 }, 5);
    const [row] = sql.rows("SELECT state->>'creditsHeld' AS held, state->>'later' AS later, state->>'$.config.later' AS config FROM job"); // prettier-ignore
    expect(row).toEqual({ held: 2, later: 1, config: 2 });
  });

  test("gives the result of a step that was done instead of the step", () => {
    expect(job.begin({ key: "a", credits: 2 }, 5)).toMatchObject({ kind: "begun", isNew: true });
    expect(job.begin({ key: "a", credits: 2 }, 5)).toMatchObject({ kind: "begun", isNew: false });
    job.finish({ key: "a", credits: 1, result: { text: "1" } }, 6);
    job.finish({ key: "a", credits: 5, result: { text: "2" } }, 6);
    expect(job.begin({ key: "a", credits: 2 }, 5)).toEqual({ kind: "done", result: { text: "1" } });
    expect(job.progress()).toMatchObject({ steps: 1, creditsUsed: 1, creditsHeld: 0 });
  });

  test("never begins a step that goes over its budget, counting what is under way", () => {
    done("a", 4);
    job.begin({ key: "b", credits: 5 }, 5);
    expect(job.begin({ key: "c", credits: 2 }, 5)).toEqual({ kind: "over_budget", creditsLeft: 1 });
    job.drop("b", undefined, 7);
    expect(job.begin({ key: "c", credits: 2 }, 5)).toMatchObject({ kind: "begun", isNew: true });
    expect(job.progress()).toMatchObject({ creditsUsed: 4, creditsHeld: 2 });
  });

  test("ends once, and begins nothing afterwards", () => {
    job.end({ status: "completed", result: { text: "[]" }, costs: { ...NO_COUNTS, modelCalls: 2 } }, 50);
    job.end({ status: "failed", error: "late", costs: NO_COUNTS }, 60);
    expect(job.progress()).toMatchObject({ status: "completed", endedAtMs: 50, error: undefined });
    expect(job.begin({ key: "a", credits: 0 }, 5)).toEqual({ kind: "stopped", status: "completed" });
    expect(events()).toEqual(["started", "completed"]);
    expect(job.cancel(70)).toBe("completed");
  });

  test("counts what a step has cost that comes to its end after the job's", () => {
    job.begin({ key: "a", credits: 5 }, 5);
    expect(job.cancel(10)).toBe("scraping");
    job.finish({ key: "a", credits: 5, result: { text: "1" } }, 6);
    expect(job.progress()).toMatchObject({ status: "cancelled", creditsUsed: 5, creditsHeld: 0 });
    // Nobody asked to be told of that.
    expect(events()).toEqual(["started"]);
  });

  test("is ended when it stops repeatedly without progress", () => {
    const fail = (): void => {
      job.recordRun(10);
      job.noteRunEnded();
    };
    for (let turn = 0; turn < 5; turn++) fail();
    done("a", 1);
    for (let turn = 0; turn < 5; turn++) fail();
    expect(job.progress()?.status).toBe("scraping");
    job.recordRun(20);
    expect(job.progress()).toMatchObject({ status: "failed", error: expect.stringContaining("without progress") });
  });

  test("is taken up twice after runs that stopped without a word, and then ended", () => {
    for (let turn = 0; turn < 3; turn++) job.recordRun(10);
    expect(job.progress()?.status).toBe("scraping");
    job.recordRun(20);
    expect(job.progress()).toMatchObject({ status: "failed", error: expect.stringContaining("(JOB_INTERRUPTED)") });
    expect(events()).toEqual(["started", "failed"]);
    expect(job.opened()).toMatchObject({ status: "failed" });
  });

  test.each([
    { why: "a step", go: (round: number) => done(`step ${round}`, 1) },
    { why: "other progress", go: () => void job.report({ costs: NO_COUNTS, hasProgress: true }) },
  ])("may be interrupted as often again after $why", ({ go }) => {
    for (let round = 0; round < 4; round++) {
      for (let turn = 0; turn < 3; turn++) job.recordRun(10);
      go(round);
      job.noteRunEnded();
      expect(job.progress()?.status).toBe("scraping");
    }
  });

  test("counts no run as lost that ended with an error, nor those before it", () => {
    const fates = ["lost", "failed", "lost", "failed", "failed"];
    for (const fate of fates) {
      job.recordRun(10);
      if (fate === "failed") job.noteRunEnded();
    }
    expect(job.progress()?.status).toBe("scraping");
  });

  test("is unchanged by a transition that fails anywhere", () => {
    for (let statements = 0; statements < 4; statements++) {
      const before = JSON.stringify(job.progress());
      sql.failAfter(statements);
      try {
        done(`step ${statements}`, 1);
        sql.failAfter(undefined);
      } catch (error) {
        expect(error).toBeInstanceOf(InjectedFailure);
        const { creditsHeld = 0, creditsUsed = 0, steps = 0 } = job.progress() ?? {};
        expect([creditsHeld + creditsUsed, steps]).toEqual([creditsHeld, JSON.parse(before).steps]);
        job.drop(`step ${statements}`, undefined, 7);
        expect(JSON.stringify(job.progress())).toBe(before);
      }
    }
  });

  test("adds up what its turns report", () => {
    job.report({ costs: { ...NO_COUNTS, modelInputTokens: 5 }, progress: '"one"' });
    expect(job.report({ costs: { ...NO_COUNTS, modelInputTokens: 7 } })).toBe("scraping");
    expect(job.progress()).toMatchObject({ progress: '"one"', costs: { modelInputTokens: 12 } });
    expect(nextEventMs(sql)).toBe(1);
  });
});
