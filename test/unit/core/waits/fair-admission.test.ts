import { expect, test, vi } from "vitest";
import type { Owner } from "../../../../src/core/fair-order.ts";
import { FairAdmission } from "../../../../src/core/waits/fair-admission.ts";

const busy: Owner = { teamId: "busy", keyId: "a" };
const quiet: Owner = { teamId: "quiet", keyId: "b" };

/** Pages that end when they are told to, and the teams in the order in which their pages began. */
function pages(options: Partial<ConstructorParameters<typeof FairAdmission>[0]> = {}) {
  const admission = new FairAdmission({ places: 4, isProcessorBusy: () => true, ...options });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const begin = ({ teamId, keyId }: Owner): Promise<void> =>
    admission.run({ teamId, keyId }, async () => {
      begun.push(teamId);
      await new Promise<void>((resolve) => ends.push(resolve));
    });
  return { admission, begun, begin, endOne: () => ends.shift()?.() };
}

/** A page whose turn has come begins at the next timer. */
const settle = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, 20));

test("the first page of a team is begun at once, however many pages of another team wait", async () => {
  const { begun, begin, endOne } = pages();
  for (let page = 0; page < 400; page++) void begin(busy);
  await settle();
  expect(begun).toEqual(["busy", "busy", "busy", "busy"]);
  void begin(quiet);
  await settle();
  expect(begun).toEqual(["busy", "busy", "busy", "busy", "quiet"]);
  void begin(quiet);
  // One page that ends leaves as many as there are places.
  endOne();
  endOne();
  await settle();
  expect(begun.slice(5)).toEqual(["quiet"]);
});

test("the waiting pages of two teams are begun in turn", async () => {
  const { begun, begin, endOne } = pages();
  for (let page = 0; page < 20; page++) void begin(busy);
  for (let page = 0; page < 20; page++) void begin(quiet);
  for (let page = 0; page < 20; page++) {
    endOne();
    await settle();
  }
  // Two teams share four places from the moment at which the first pages have ended.
  const quietOnes = begun.slice(8).filter((team) => team === "quiet").length;
  expect(Math.abs(begun.length - 8 - 2 * quietOnes)).toBeLessThanOrEqual(2);
});

test("a place is free when the work after the response is done, not before", async () => {
  const { admission, begun, begin } = pages({ places: 1 });
  let finish = (): void => {};
  await admission.run(busy, async (holdFor) => {
    holdFor(Promise.reject(new Error("not stored")));
    holdFor(new Promise<void>((resolve) => (finish = resolve)));
  });
  void begin(busy);
  await settle();
  expect(begun).toEqual([]);
  finish();
  await settle();
  expect(begun).toEqual(["busy"]);
});

test("pages that are slow because the processor is do not let others begin", async () => {
  vi.useFakeTimers();
  try {
    // Each timer fires 40 ms late.
    let lateMs = 0;
    const nowMs = (): number => Date.now() + lateMs;
    const { begun, begin } = pages({ isProcessorBusy: () => false, nowMs });
    for (let page = 0; page < 9; page++) void begin(busy);
    for (let tick = 0; tick < 10; tick++) {
      lateMs += 40;
      await vi.advanceTimersByTimeAsync(50);
    }
    expect(begun).toHaveLength(4);
    await vi.advanceTimersByTimeAsync(150);
    expect(begun.length).toBeGreaterThan(4);
  } finally {
    vi.useRealTimers();
  }
});

test("a page that fails gives its place back", async () => {
  const { admission, begun, begin } = pages({ places: 1 });
  const failing = admission.run(busy, () => Promise.reject(new Error("no page")));
  await expect(failing).rejects.toThrow("no page");
  void begin(quiet);
  await settle();
  expect(begun).toEqual(["quiet"]);
});

test("pages that wait for a slow site let others begin, but not while the processor is what is waited for", async () => {
  vi.useFakeTimers();
  try {
    let isBusy = true;
    const { begun, begin } = pages({ isProcessorBusy: () => isBusy });
    for (let page = 0; page < 9; page++) void begin(busy);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(begun).toHaveLength(4);
    isBusy = false;
    await vi.advanceTimersByTimeAsync(2_000);
    expect(begun).toHaveLength(9);
  } finally {
    vi.useRealTimers();
  }
});

test("waiters whose requests were cancelled do not stand before those that still exist", async () => {
  vi.useFakeTimers();
  try {
    const { begun, begin, endOne } = pages({ isProcessorBusy: () => true, places: 1 });
    void begin(busy);
    void begin({ teamId: "other", keyId: "c" });
    // The timers of a cancelled request never fire.
    const { setInterval } = globalThis;
    // No spy: `vi.restoreAllMocks` of a later file would bring back the fake timer that it replaced.
    globalThis.setInterval = (() => 0) as unknown as typeof setInterval;
    void begin(quiet);
    globalThis.setInterval = setInterval;
    await vi.advanceTimersByTimeAsync(5_500);
    void begin(busy);
    endOne();
    await vi.advanceTimersByTimeAsync(0);
    expect(begun).toEqual(["busy", "other", "busy"]);
  } finally {
    vi.useRealTimers();
  }
});

test("thousands that wait do not rank each other while no place is free", async () => {
  vi.useFakeTimers();
  try {
    let ranked = 0;
    const counted: Owner = {
      teamId: "busy",
      get keyId() {
        ranked++;
        return "a";
      },
    };
    const { admission } = pages({ places: 2 });
    const never = (): Promise<void> => new Promise(() => undefined);
    for (let page = 0; page < 300; page++) void admission.run(counted, never);
    await vi.advanceTimersByTimeAsync(0);
    ranked = 0;
    // Two rounds of all waiters, each of which would read the key of each other one.
    await vi.advanceTimersByTimeAsync(4_900);
    expect(ranked).toBeLessThan(300 * 10);
  } finally {
    vi.useRealTimers();
  }
});

test("thousands that wait look for a place together, while all places are taken", async () => {
  vi.useFakeTimers();
  try {
    let looks = 0;
    const counted: Owner = {
      get teamId() {
        looks++;
        return "busy";
      },
      keyId: "a",
    };
    const { admission } = pages({ places: 2 });
    const never = (): Promise<void> => new Promise(() => undefined);
    for (let page = 0; page < 200; page++) {
      void admission.run(counted, never);
      await vi.advanceTimersByTimeAsync(10);
    }
    looks = 0;
    await vi.advanceTimersByTimeAsync(4_000);
    // Each look reads the team of each one that waits; without a bound, there are 200 looks in two seconds.
    expect(looks).toBeLessThan(40 * 220);
  } finally {
    vi.useRealTimers();
  }
});

test("a wait ends at its deadline and when the client leaves, and its page is never begun", async () => {
  const { admission, begun, begin, endOne } = pages({ places: 1 });
  void begin(busy);
  const left = new AbortController();
  const never = (): Promise<never> => Promise.reject(new Error("Begun"));
  const late = admission.run(busy, never, { deadlineMs: Date.now() + 200 });
  const abandoned = admission.run(busy, never, { left: left.signal });
  void begin(busy);
  await settle();
  left.abort();
  await expect(abandoned).rejects.toMatchObject({ code: "SCRAPE_TIMEOUT" });
  await expect(late).rejects.toMatchObject({ code: "SCRAPE_TIMEOUT" });
  endOne();
  await settle();
  expect(begun).toEqual(["busy", "busy"]);
});

test("a page whose turn has come begins at a timer, so that new requests are looked at between two pages", async () => {
  vi.useFakeTimers();
  try {
    const { begun, begin, endOne } = pages({ places: 1 });
    void begin(busy);
    void begin(busy);
    await vi.advanceTimersByTimeAsync(10);
    endOne();
    for (let turn = 0; turn < 100; turn++) await Promise.resolve();
    expect(begun).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(begun).toHaveLength(2);
  } finally {
    vi.useRealTimers();
  }
});

test("while the processor is slow, a page has its place for as long as the admission allows", async () => {
  vi.useFakeTimers();
  try {
    let lateMs = 0;
    const nowMs = (): number => Date.now() + lateMs;
    const { begun, begin } = pages({ places: 1, parkAfterMs: 3_000, isProcessorBusy: () => false, nowMs });
    void begin(busy);
    void begin(busy);
    const advance = async (ticks: number): Promise<void> => {
      for (let tick = 0; tick < ticks; tick++) {
        lateMs += 50;
        await vi.advanceTimersByTimeAsync(50);
      }
    };
    await advance(28);
    expect(begun).toHaveLength(1);
    await advance(4);
    expect(begun).toHaveLength(2);
  } finally {
    vi.useRealTimers();
  }
});
