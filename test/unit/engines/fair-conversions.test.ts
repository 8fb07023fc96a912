import { expect, test, vi } from "vitest";
import type { Owner } from "../../../src/core/fair-order.ts";
import type { WaitLimit } from "../../../src/core/waits/wait-for-grant.ts";
import { FairConversions } from "../../../src/engines/fair-conversions.ts";

const busy: Owner = { teamId: "busy", keyId: "a" };
const quiet: Owner = { teamId: "quiet", keyId: "b" };

/** Starts one conversion for each owner, in order. @returns the teams in the order in which their conversions ran. */
async function order(owners: readonly Owner[]): Promise<string[]> {
  const conversions = new FairConversions();
  const ran: string[] = [];
  await Promise.all(
    owners.map(async (owner) => {
      await conversions.admit(owner);
      ran.push(owner.teamId);
    }),
  );
  return ran;
}

test("the first page of a team does not wait for the pages that another team has asked for before", async () => {
  const ran = await order([...Array.from({ length: 400 }, () => busy), quiet]);
  expect(ran).toHaveLength(401);
  expect(ran.indexOf("quiet")).toBeLessThanOrEqual(2);
});

test("two teams take turns, and the pages of one team run in the order in which they came", async () => {
  const ran = await order([busy, busy, busy, busy, quiet, quiet]);
  expect(ran.slice(1, 5).toSorted()).toEqual(["busy", "busy", "quiet", "quiet"]);
});

test("conversions run one at a time", async () => {
  const conversions = new FairConversions();
  let [running, most] = [0, 0];
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      await conversions.admit(busy);
      most = Math.max(most, ++running);
      queueMicrotask(() => running--);
    }),
  );
  expect(most).toBe(1);
});

test("a request that was cancelled while it was next does not stop the others", async () => {
  vi.useFakeTimers();
  try {
    const conversions = new FairConversions();
    await conversions.admit(busy);
    const cancelled = conversions.admit(busy);
    // The timer of the cancelled request never fires.
    const setTimeout = vi.spyOn(globalThis, "setTimeout").mockReturnValue(0 as unknown as NodeJS.Timeout);
    await vi.advanceTimersByTimeAsync(1);
    await cancelled;
    setTimeout.mockRestore();
    const waiting = conversions.admit(quiet);
    await vi.advanceTimersByTimeAsync(1_000);
    await waiting;
  } finally {
    vi.useRealTimers();
  }
});

test("a conversion whose request ended without handing on delays nobody who comes later", async () => {
  let nowMs = 0;
  const conversions = new FairConversions(() => nowMs);
  const setTimeout = vi.spyOn(globalThis, "setTimeout").mockReturnValue(0 as unknown as NodeJS.Timeout);
  await conversions.admit(busy);
  setTimeout.mockRestore();
  nowMs += 1_000;
  const setInterval = vi.spyOn(globalThis, "setInterval");
  await conversions.admit(quiet);
  expect(setInterval).not.toHaveBeenCalled();
  setInterval.mockRestore();
});

test("a wait ends at its deadline and when the client leaves, and is not converted later", async () => {
  const conversions = new FairConversions();
  const ran: string[] = [];
  const convert = async (name: string, limit?: WaitLimit): Promise<void> => {
    await conversions.admit(busy, limit);
    ran.push(name);
    const endMs = performance.now() + 2;
    while (performance.now() < endMs) continue;
  };
  const left = new AbortController();
  const others = Array.from({ length: 30 }, () => convert("other"));
  const late = convert("late", { deadlineMs: Date.now() + 5 });
  const abandoned = convert("abandoned", { left: left.signal });
  left.abort();
  const ended = await Promise.allSettled([late, abandoned]);
  expect(ended).toMatchObject([{ reason: { code: "SCRAPE_TIMEOUT" } }, { reason: { code: "SCRAPE_TIMEOUT" } }]);
  expect(ran.length).toBeLessThan(30);
  await Promise.all(others);
  expect(new Set(ran)).toEqual(new Set(["other"]));
});

test("a request whose client has left is not admitted", async () => {
  const conversions = new FairConversions();
  await expect(conversions.admit(quiet, { left: AbortSignal.abort() })).rejects.toMatchObject({
    code: "SCRAPE_TIMEOUT",
  });
});
