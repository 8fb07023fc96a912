import { describe, expect, test, vi } from "vitest";
import { Meter } from "../../../../src/core/account/meter.ts";
import type { KeyLedger } from "../../../../src/platform/account/key-ledger.ts";
import { ANSWER_LIMIT_MS } from "../../../../src/platform/object-calls.ts";
import { createKeyLedger } from "../../../../src/platform/account/key-ledger-port.ts";

const ADMIT = { mode: "scrape", limit: 1, credits: 1, monthlyCredits: undefined } as const;
const REFUND = { credits: -1, monthlyCredits: undefined };
const MOVED = { retryable: true };
const OVERLOADED = { retryable: true, overloaded: true };
const BROKEN = {};

/** A namespace whose object fails once for each given mark, then answers "done"; every method behaves alike. */
function setUp(failures: object[]) {
  const left = failures.map((marks) => Object.assign(new Error("the object is gone"), marks));
  const stubs: string[] = [];
  const answer = async () => {
    const failure = left.shift();
    if (failure !== undefined) throw failure;
    return "done";
  };
  const namespace = {
    getByName(name: string) {
      stubs.push(name);
      return { admit: answer, adjustCredits: answer, takeSlot: answer, releaseSlot: answer, usage: answer };
    },
  };
  // The port uses no more of a namespace than this.
  const gate = createKeyLedger(namespace as unknown as DurableObjectNamespace<KeyLedger>, new Meter());
  return { gate, stubs };
}

describe("reaching a key's object", () => {
  test("is tried once more, on a stub of its own, when the object has just moved", async () => {
    const { gate, stubs } = setUp([MOVED]);
    expect(await gate.admit("key", ADMIT)).toBe("done");
    expect(stubs).toEqual(["key", "key"]);
  });

  test.each([
    { why: "it moves twice", failures: [MOVED, MOVED], tries: 2 },
    { why: "it has too much to do", failures: [OVERLOADED], tries: 1 },
    { why: "it breaks", failures: [BROKEN], tries: 1 },
  ])("ends as 503 with a time to wait when $why", async ({ failures, tries }) => {
    const { gate, stubs } = setUp(failures);
    await expect(gate.admit("key", ADMIT)).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE", retryAfterSeconds: 1 });
    expect(stubs).toHaveLength(tries);
  });

  test("ends as 503 when it does not answer in time", async () => {
    vi.useFakeTimers();
    try {
      const stub = { admit: () => new Promise(() => undefined) };
      const namespace = { getByName: () => stub } as unknown as DurableObjectNamespace<KeyLedger>;
      const failed = createKeyLedger(namespace, new Meter())
        .admit("key", ADMIT)
        .catch((error: unknown) => error);
      await vi.advanceTimersByTimeAsync(ANSWER_LIMIT_MS);
      expect(await failed).toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    } finally {
      vi.useRealTimers();
    }
  });

  test("is not tried again for a refund, which could be given twice", async () => {
    const { gate, stubs } = setUp([MOVED]);
    await expect(gate.adjustCredits("key", REFUND)).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    expect(stubs).toHaveLength(1);
  });
});

test.each([
  'TypeError: The RPC receiver does not implement the method "activityPart".',
  "Error: The object has no method activityPart",
])("an object of the release before is asked for its activity by the former name (%s)", async (message) => {
  const entries = [{ id: "one" }, { id: "two" }];
  const stub = {
    activityPart: async () => {
      throw new Error(message);
    },
    activity: async () => entries,
  };
  const namespace = { getByName: () => stub } as unknown as DurableObjectNamespace<KeyLedger>;
  expect(await createKeyLedger(namespace, new Meter()).activity("key", { sinceMs: 0, limit: 10 })).toEqual(entries);
});
