import { expect, test } from "vitest";
import type { JobCharge } from "../../../../src/core/account/key-ledger.ts";
import { newFrontier } from "../../../../src/core/crawl/frontier.ts";
import { JobCharges } from "../../../../src/platform/account/job-charges.ts";

function job() {
  const state = newFrontier(
    {
      limit: undefined,
      maxConcurrency: 10,
      delayMs: 0,
      hasSeed: false,
      failsWhenEmpty: false,
      events: [],
      leaseMs: 10_000,
      billing: { keyId: "key", creditsPerPage: 1 },
      expiresAtMs: 1e15,
    },
    0,
  );
  const charged: JobCharge[] = [];
  let isDown = false;
  const chargeJob = async (charge: JobCharge): Promise<number> => {
    if (isDown) throw new Error("The ledger is down");
    charged.push(charge);
    return charge.reserve;
  };
  const ledger = { chargeJob, takeSlot: async () => true, releaseSlot: async () => undefined, held: async () => 0 };
  const charges = new JobCharges({ getByName: () => ledger }, { id: () => "job", state: () => state });
  return { state, charged, charges, setDown: (value: boolean) => (isDown = value) };
}

test("totals are reported at most every five seconds, and the report at the end has all of them", async () => {
  const { state, charged, charges } = job();
  for (let second = 0; second < 12; second++) {
    state.creditsUsed++;
    await charges.reportSoon(1_000_000 + second * 1_000);
  }
  expect(charged.map(({ settled }) => settled)).toEqual([1, 6, 11]);
  await charges.inOrder(() => charges.charge(0));
  expect(charged.at(-1)?.settled).toBe(12);
});

test("a report that failed is repeated with the next request", async () => {
  const { state, charged, charges, setDown } = job();
  state.creditsUsed = 3;
  setDown(true);
  await charges.reportSoon(1_000_000);
  setDown(false);
  await charges.reportSoon(1_000_001);
  expect(charged.map(({ settled }) => settled)).toEqual([3]);
});
