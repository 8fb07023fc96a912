import { expect, test } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import { Meter } from "../../../../src/core/account/meter.ts";
import type { ScrapeStore } from "../../../../src/ports/storage/stores.ts";
import type { Caller } from "../../../../src/services/deps.ts";
import { giveFeedback } from "../../../../src/services/search/give-feedback.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";
import { memoryFeedback } from "../../../fakes/memory/memory-feedback.ts";
import { memoryKeyLedger } from "../../../fakes/memory/memory-key-ledger.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

const CALLER = { key: { id: "key", teamId: "team" } } as unknown as Caller;

async function service() {
  const clock = fixedClock();
  const meter = new Meter();
  const keyLedger = memoryKeyLedger(clock, meter);
  const feedback = memoryFeedback();
  const deps = testDeps({ clock, meter, keyLedger, feedback });
  await keyLedger.admit("key", { mode: "search", limit: 1_000, credits: 500, monthlyCredits: undefined });
  const used = async (): Promise<number> => (await keyLedger.usage("key")).creditsUsed;
  const search = async (): Promise<string> => {
    const id = crypto.randomUUID();
    await feedback.insertSearch({ id, teamId: "team", creditsUsed: 2, createdAtMs: clock.now() });
    return id;
  };
  const give = (jobId: string, caller = CALLER) =>
    giveFeedback(deps, caller, { endpoint: "search", jobId, rating: "good", body: {} });
  return { keyLedger, used, search, give };
}

test("a refund that a crash has left out is recorded by the repeat, once and for the key that gave the feedback", async () => {
  const { keyLedger, used, search, give } = await service();
  const id = await search();
  const { record } = keyLedger;
  keyLedger.record = () => Promise.reject(new Error("The isolate has ended"));
  await expect(give(id)).rejects.toThrow("The isolate has ended");
  Object.assign(keyLedger, { record });
  expect(await used()).toBe(500);
  const other = { key: { id: "other", teamId: "team" } } as unknown as Caller;
  expect(await give(id, other)).toMatchObject({ alreadySubmitted: true, creditsRefunded: 0, creditsRefundedToday: 1 });
  expect(await used()).toBe(499);
  await give(id);
  expect(await used()).toBe(499);
});

test("feedback that is given at once refunds no more than a day's limit", async () => {
  const { used, search, give } = await service();
  const ids = await Promise.all(Array.from({ length: 105 }, search));
  const answers = await Promise.all(ids.map((id) => give(id)));
  expect(answers.filter(({ creditsRefunded }) => creditsRefunded === 1)).toHaveLength(100);
  expect(await used()).toBe(400);
});

test.each([
  { what: "an unknown scrape", failure: undefined, code: "FEEDBACK_JOB_NOT_FOUND" },
  { what: "a storage that fails", failure: new AppError("SERVICE_UNAVAILABLE"), code: "SERVICE_UNAVAILABLE" },
])("feedback on $what is $code", async ({ failure, code }) => {
  const find = async (): Promise<undefined> => {
    if (failure !== undefined) throw failure;
  };
  const deps = testDeps({ scrapes: { find } as unknown as ScrapeStore });
  const request = { endpoint: "scrape" as const, jobId: crypto.randomUUID(), rating: "good" as const, body: {} };
  await expect(giveFeedback(deps, CALLER, request)).rejects.toMatchObject({ code });
});
