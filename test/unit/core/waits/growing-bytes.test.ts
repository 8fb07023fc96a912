import { expect, test } from "vitest";
import type { Owner } from "../../../../src/core/fair-order.ts";
import { GrowingBytes } from "../../../../src/core/waits/growing-bytes.ts";
import { HeldBytes } from "../../../../src/core/waits/held-bytes.ts";

const TEAM: Owner = { teamId: "team", keyId: "a" };
const OTHER: Owner = { teamId: "other", keyId: "b" };
const LATER = Date.now() + 60_000;

test("small work costs nothing, and larger work is counted until it ends", () => {
  const memory = new HeldBytes();
  const [small, large] = [new GrowingBytes(memory, TEAM), new GrowingBytes(memory, TEAM)];
  small.add(64_000);
  expect(memory.bytesOf("team")).toBe(0);
  for (let at = 0; at < 100; at++) large.add(50_000);
  expect(memory.bytesOf("team")).toBe(5_000_000);
  large.add(-4_000_000);
  expect(memory.bytesOf("team")).toBe(1_000_000);
  large.release();
  large.release();
  expect(memory.bytesOf("team")).toBe(0);
});

test("what work reads after its count has ended is not counted, and takes no room", async () => {
  const memory = new HeldBytes();
  const growing = new GrowingBytes(memory, TEAM);
  growing.add(1_000_000);
  growing.release();
  growing.add(2_000_000);
  expect([growing.tryAdd(1_000_000), growing.isOver, memory.bytesOf("team")]).toEqual([false, false, 0]);
  await growing.wait(LATER);
});

test("work that grows together stays bounded, and each comes to its end", async () => {
  const memory = new HeldBytes({ ofTeam: 3_000_000, inAll: 6_000_000 });
  const NEED = 2_000_000;
  let most = 0;
  const ended: number[] = [];
  const work = async (at: number): Promise<void> => {
    const growing = new GrowingBytes(memory, TEAM);
    for (let bytes = 0; bytes < NEED; bytes += 100_000) {
      growing.add(100_000);
      await growing.wait(LATER);
      most = Math.max(most, memory.bytesOf("team"));
      await new Promise((resolve) => setImmediate(resolve));
    }
    growing.release();
    ended.push(at);
  };
  await Promise.all(Array.from({ length: 6 }, (_, at) => work(at)));
  expect(ended.toSorted()).toEqual([0, 1, 2, 3, 4, 5]);
  expect(most).toBeLessThanOrEqual(3_000_000 + NEED);
});

test("a wait ends at its deadline and when the client leaves, and frees what the work had", async () => {
  const memory = new HeldBytes({ ofTeam: 1_000_000, inAll: 2_000_000 });
  const first = new GrowingBytes(memory, TEAM);
  first.add(1_000_000);
  const client = new AbortController();
  const [late, left] = [new GrowingBytes(memory, TEAM), new GrowingBytes(memory, TEAM, client.signal)];
  late.add(500_000);
  left.add(500_000);
  const waits = [late.wait(Date.now() + 20), left.wait(LATER)];
  client.abort();
  const ends = await Promise.allSettled(waits);
  expect(ends).toMatchObject(["late", "left"].map(() => ({ status: "rejected", reason: { code: "SCRAPE_TIMEOUT" } })));
  first.release();
  await late.wait(LATER);
  late.release();
  expect(memory.bytesOf("team")).toBe(0);
});

test("the earliest work of each team grows beyond the limits, until the sum is twice that of all", () => {
  const memory = new HeldBytes({ ofTeam: 1_000_000, inAll: 1_500_000 });
  const [first, second, other] = [TEAM, TEAM, OTHER].map((owner) => new GrowingBytes(memory, owner));
  first?.add(1_500_000);
  second?.add(500_000);
  other?.add(1_400_000);
  expect([first?.isOver, second?.isOver, other?.isOver]).toEqual([false, true, false]);
  other?.add(1_000_000);
  expect(other?.isOver).toBe(false);
  other?.add(500_000);
  // The sum is beyond twice the limit: only the earliest of all goes on.
  expect(other?.isOver).toBe(true);
  first?.add(500_000);
  expect(first?.isOver).toBe(false);
});

test("work that is silent is no longer the earliest, and another is in its place", () => {
  let nowMs = 0;
  const memory = new HeldBytes({ ofTeam: 1_000_000, inAll: 2_000_000, nowMs: () => nowMs });
  const work = () => new GrowingBytes(memory, TEAM, undefined, () => nowMs);
  const [silent, next] = [work(), work()];
  silent.add(1_000_000);
  next.add(500_000);
  expect(next.isOver).toBe(true);
  nowMs = 30_001;
  expect(next.isOver).toBe(false);
});

test("what is about to be read is counted only when there is room for it", () => {
  const memory = new HeldBytes({ ofTeam: 1_000_000, inAll: 2_000_000 });
  const [first, second] = [new GrowingBytes(memory, TEAM), new GrowingBytes(memory, TEAM)];
  expect(first.tryAdd(800_000)).toBe(true);
  expect(second.tryAdd(500_000)).toBe(false);
  expect(second.isOver).toBe(false);
  first.release();
  expect(second.tryAdd(500_000)).toBe(true);
});

test("work goes on before work that waits for room, and one whose client has left does not stand in its way", async () => {
  const memory = new HeldBytes({ ofTeam: 1_000_000, inAll: 2_000_000 });
  const client = new AbortController();
  const [gone, first] = [new GrowingBytes(memory, TEAM, client.signal), new GrowingBytes(memory, TEAM)];
  gone.add(400_000);
  first.add(400_000);
  const large = memory.take(TEAM, 900_000, { deadlineMs: Date.now() + 5_000 });
  first.add(200_000);
  expect([first.isOver, memory.bytesOf("team")]).toEqual([false, 336_000 + 336_000 + 250_000]);
  first.add(600_000);
  expect(first.isOver).toBe(true);
  client.abort();
  expect(first.isOver).toBe(false);
  first.release();
  (await large)();
  expect(memory.bytesOf("team")).toBe(0);
});
