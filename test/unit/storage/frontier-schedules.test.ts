import fc from "fast-check";
import { test } from "vitest";
import { ModelRun, type ModelJob, type ModelPage, type Step } from "./frontier-model.ts";
import { sampleCount } from "../../sample.ts";

/** A failure prints its seed and path; with them in these variables the same schedule runs again. */
const SEED = Number(process.env["SCHEDULE_SEED"] ?? 20261121);
const SCHEDULES = Number(process.env["SCHEDULES"] ?? sampleCount(400, 200));

const page: fc.Arbitrary<ModelPage> = fc.record({
  links: fc.array(fc.nat(40), { maxLength: 5 }),
  filtered: fc.array(fc.nat(8), { maxLength: 3 }),
  behaviour: fc.oneof(
    { weight: 5, arbitrary: fc.constant("fine" as const) },
    { weight: 4, arbitrary: fc.constantFrom("fails", "flaky", "robots", "denied", "redirects", "deferred") },
  ),
  number: fc.nat(20),
});

const job: fc.Arbitrary<ModelJob> = fc.record({
  kind: fc.constantFrom("crawl", "batch"),
  pages: fc.array(page, { minLength: 1, maxLength: 16 }),
  limit: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
  maxConcurrency: fc.integer({ min: 1, max: 8 }),
  hasSeed: fc.boolean(),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("claim" as const),
      capacity: fc.integer({ min: 1, max: 6 }),
      ahead: fc.nat(6),
      consumer: fc.option(fc.nat(5), { nil: undefined }),
      isLost: fc.nat(5).map((number) => number === 0),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("complete" as const),
      consumer: fc.nat(5),
      share: fc.integer({ min: 1, max: 100 }),
      crashAfter: fc.option(fc.nat(12), { nil: undefined, freq: 3 }),
      capacity: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("repeat" as const), completion: fc.nat(20) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("die" as const), consumer: fc.nat(5) }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.constantFrom(1, 1_500, 6_000, 11_000) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("evict" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("upgrade" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("append" as const), count: fc.integer({ min: 1, max: 3 }) }) },
);
/** At most one cancellation, at any point. */
const schedule = fc
  .tuple(fc.array(step, { maxLength: 24 }), fc.option(fc.nat(24), { nil: undefined, freq: 8 }))
  .map(([steps, cancelAt]): Step[] =>
    cancelAt === undefined ? steps : steps.toSpliced(cancelAt, 0, { do: "cancel" }),
  );

test(
  `${SCHEDULES} random schedules lose nothing, do nothing twice, keep the limit and the sum, and end`,
  { timeout: Math.max(240_000, 100 * SCHEDULES) },
  () => {
    fc.assert(
      fc.property(job, schedule, (modelJob, steps) => {
        const run = new ModelRun(modelJob);
        try {
          for (const next of steps) {
            run.step(next);
            run.checkAlways();
          }
          run.drain();
          run.checkAlways();
          run.checkEnd();
        } finally {
          run.sql.close();
        }
      }),
      { numRuns: SCHEDULES, seed: SEED },
    );
  },
);
