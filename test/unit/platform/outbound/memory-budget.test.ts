import { describe, expect, test, vi } from "vitest";
import { MemoryBudget } from "../../../../src/platform/outbound/memory-budget.ts";

const NEVER = new AbortController().signal;

/** Resolves to whether a promise has settled after everything that could run has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const note = (): void => void (settled = true);
  promise.then(note, note);
  await new Promise((resolve) => setImmediate(resolve));
  return settled;
}

describe("a room for bytes", () => {
  test("is shared up to its capacity, and who asks for more waits for another to leave", async () => {
    const room = new MemoryBudget(100);
    const [first, second, third] = [room.enter(), room.enter(), room.enter()];
    await first.take(60, NEVER);
    await second.take(40, NEVER);
    const waiting = third.take(30, NEVER);
    expect(await isSettled(waiting)).toBe(false);
    second.leave();
    expect(await isSettled(waiting)).toBe(true);
  });

  test("never keeps the first one waiting, so that two that want more than there is both come to their end", async () => {
    const room = new MemoryBudget(100);
    const [first, second] = [room.enter(), room.enter()];
    await first.take(50, NEVER);
    await second.take(50, NEVER);
    const waiting = second.take(50, NEVER);
    expect(await isSettled(waiting)).toBe(false);
    await first.take(500, NEVER);
    first.leave();
    // Now it is the first one itself.
    expect(await isSettled(waiting)).toBe(true);
  });

  test("lets whoever is too large for it in, when the room is its own", async () => {
    const room = new MemoryBudget(10);
    const [small, large] = [room.enter(), room.enter()];
    await small.take(5, NEVER);
    const waiting = large.take(50, NEVER);
    expect(await isSettled(waiting)).toBe(false);
    small.leave();
    expect(await isSettled(waiting)).toBe(true);
  });

  test("does not wake who has not checked for seconds, whose request was cancelled", async () => {
    vi.useFakeTimers();
    try {
      const room = new MemoryBudget(10);
      const [first, lost, live] = [room.enter(), room.enter(), room.enter()];
      await first.take(8, NEVER);
      let woken = false;
      void lost.take(8, NEVER).then(() => (woken = true));
      // A cancelled request keeps its promise, and its timer never fires.
      vi.clearAllTimers();
      await vi.advanceTimersByTimeAsync(4_000);
      const waiting = live.take(8, NEVER);
      first.leave();
      await waiting;
      await vi.advanceTimersByTimeAsync(10_000);
      expect(woken).toBe(false);
    } finally {
      vi.useRealTimers();
    }
  });

  test("lets go of who gives up, with the reason, and keeps no place for it", async () => {
    const room = new MemoryBudget(10);
    const [first, second, third] = [room.enter(), room.enter(), room.enter()];
    await first.take(8, NEVER);
    const giving = new AbortController();
    const waiting = second.take(8, giving.signal);
    giving.abort(new Error("out of time"));
    await expect(waiting).rejects.toThrow("out of time");
    second.leave();
    first.leave();
    await third.take(10, NEVER);
    await expect(second.take(1, AbortSignal.abort(new Error("late")))).rejects.toThrow("late");
  });

  test("does not wait for who is slow, or has left without a word, as a cancelled request does", async () => {
    let nowMs = 1_000;
    const room = new MemoryBudget(100, () => nowMs);
    const [gone, quick, waiting] = [room.enter(), room.enter(), room.enter()];
    await gone.take(60, NEVER);
    await quick.take(30, NEVER);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const taking = waiting.take(50, NEVER);
      nowMs += 1_500;
      await quick.take(10, NEVER);
      await vi.advanceTimersByTimeAsync(1_000);
      expect(await isSettled(taking)).toBe(false);
      nowMs += 501;
      await vi.advanceTimersByTimeAsync(1_000);
      expect(await isSettled(taking)).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });

  test("drops who is silent for the longest time when the earliest one fills it twice, so that the sum is bounded", async () => {
    let nowMs = 0;
    const room = new MemoryBudget(100, () => nowMs);
    const held = new Map<number, number>();
    const sums: number[] = [];
    for (let each = 0; each < 20; each++) {
      const reservation = room.enter(() => held.delete(each));
      for (let step = 0; step < 8; step++) {
        await reservation.take(10, NEVER);
        held.set(each, (held.get(each) ?? 0) + 10);
        sums.push([...held.values()].reduce((sum, bytes) => sum + bytes, 0));
      }
      // Its site sends no more.
      nowMs += 2_001;
    }
    expect(Math.max(...sums)).toBe(200);
    expect([...held.keys()]).toEqual([18, 19]);
  });

  test("drops who has stalled as soon as another waits, and keeps who waits for something else", async () => {
    let nowMs = 0;
    const room = new MemoryBudget(100, () => nowMs);
    const dropped: string[] = [];
    const enter = (name: string) => room.enter(() => dropped.push(name));
    const [first, paused, stalled, waiting] = [enter("first"), enter("paused"), enter("stalled"), enter("waiting")];
    await first.take(20, NEVER);
    await paused.take(30, NEVER);
    await stalled.take(40, NEVER);
    const beat = async (): Promise<void> => {
      nowMs += 1_900;
      paused.pause();
      await first.take(0, NEVER);
    };
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const taking = waiting.take(50, NEVER);
      for (let beats = 0; beats < 7; beats++) await beat();
      await vi.advanceTimersByTimeAsync(1_000);
      expect([await isSettled(taking), dropped]).toEqual([false, []]);
      await beat();
      await vi.advanceTimersByTimeAsync(1_000);
      expect([await isSettled(taking), dropped]).toEqual([true, ["stalled"]]);
    } finally {
      vi.useRealTimers();
    }
  });

  test("drops who was silent for two minutes, whose bytes count no more", async () => {
    let nowMs = 0;
    const room = new MemoryBudget(100, () => nowMs);
    const dropped: string[] = [];
    const [lost, next] = [room.enter(() => dropped.push("lost")), room.enter(() => dropped.push("next"))];
    await lost.take(10, NEVER);
    nowMs += 120_001;
    await next.take(10, NEVER);
    expect(dropped).toEqual(["lost"]);
  });

  test("forgets what was taken by one that has left", async () => {
    const room = new MemoryBudget(10);
    for (let round = 0; round < 5; round++) {
      const guest = room.enter();
      await guest.take(10, NEVER);
      guest.leave();
      guest.leave();
    }
    const [keeper, other] = [room.enter(), room.enter()];
    await keeper.take(4, NEVER);
    await other.take(6, NEVER);
  });
});
