import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import type { Candidate } from "../../../../src/core/crawl/frontier.ts";
import { hash53 } from "../../../../src/core/text/hash.ts";
import { GrowingBytes } from "../../../../src/core/waits/growing-bytes.ts";
import { HeldBytes } from "../../../../src/core/waits/held-bytes.ts";
import { KnownUrls, LaterUrls } from "../../../../src/services/estimate/known-urls.ts";
import { freeMemory } from "../../../fakes/free-memory.ts";

/** URLs of the largest sitemaps that an estimate reads. */
const MOST = 200_000;

function candidateOf(number: number, depth = 0): Candidate {
  const path = `large.example/section/of/some/length/number-${number}-with-a-title-of-some-words`;
  return { key: path, url: `https://${path}`, depth, isExternal: false, parent: undefined };
}

function listedOf(count: number, limit: number): KnownUrls {
  const known = new KnownUrls(limit, freeMemory());
  for (let number = 0; number < count; number++) known.list(candidateOf(number));
  return known;
}

const collect = (): number => {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed;
};

/** The URLs of the largest sitemaps, which two tests look at. */
let largest: KnownUrls | undefined;

test("the URLs of the largest sitemaps take little memory, and each is known", () => {
  const before = collect();
  const known = (largest = listedOf(MOST, 1_000_000));
  expect((collect() - before) / 1e6).toBeLessThan(40);
  expect(known).toMatchObject({ size: MOST, listed: MOST });
  for (const number of [0, 1, 77_777, MOST - 1]) expect(known.has(candidateOf(number).key)).toBe(true);
  expect(known.has(candidateOf(MOST).key)).toBe(false);
});

test("URLs that a site has chosen for the same hash are two", () => {
  const pathOf = (bits: number): string =>
    Array.from({ length: 22 }, (_, bit) => ((bits >> bit) & 1 ? "\u8061" : "a")).join("");
  const keys = [615_231, 1_261_634].map((bits) => `https://a.example/${pathOf(bits)}`);
  expect(new Set(keys.map((key) => hash53(key))).size).toBe(1);
  const known = new KnownUrls(10, freeMemory());
  for (const key of keys) known.list({ ...candidateOf(0), key });
  expect(known.listed).toBe(2);
});

test("of many URLs of sitemaps some at even distances are kept, and the first ones of a crawl that reads no more", () => {
  const { members } = largest ?? listedOf(MOST, 1_000_000);
  largest = undefined;
  const numbers = members.map(({ url }) => Number(/number-(\d+)/.exec(url)?.[1]));
  expect(numbers.length).toBeGreaterThanOrEqual(20_000);
  expect(numbers.length).toBeLessThan(40_000);
  const distances = new Set(numbers.slice(1).map((number, at) => number - (numbers[at] ?? 0)));
  expect(distances.size).toBe(1);
  expect(numbers.at(-1)).toBeGreaterThan(MOST - 20);
  expect(listedOf(20_000, 500).members.slice(0, 500)).toEqual(Array.from({ length: 500 }, (_, at) => candidateOf(at)));
  expect(listedOf(30, 1_000_000).members).toHaveLength(30);
});

test("URLs of great length are kept up to a number of characters", () => {
  const known = new KnownUrls(1_000_000, freeMemory());
  const path = `large.example/${"a".repeat(2_000)}`;
  const long = (number: number): Candidate => {
    const key = `${path}${number}`;
    return { key, url: `https://${key}`, depth: 0, isExternal: false, parent: undefined };
  };
  let added = 0;
  while (!known.isFull && added < 20_000) known.add(long(added++));
  expect(added).toBeLessThan(10_000);
  for (let number = 20_000; number < 40_000; number++) known.list(long(number));
  expect(known).toMatchObject({ listed: 20_000 });
  expect(known.members.length).toBeGreaterThan(2_000);
  expect(known.members.length).toBeLessThan(5_000);
});

test("of the pages that link to a URL the first ones are kept", () => {
  const known = new KnownUrls(100, freeMemory());
  const [hub, other] = [candidateOf(1), candidateOf(2)];
  for (const each of [hub, other]) known.add(each);
  for (let number = 3; number < 53; number++) known.addParent(hub.key, candidateOf(number).key);
  known.addParent(other.key, candidateOf(52).key);
  expect(known.areSiblings(hub.key, other.key)).toBe(false);
  known.addParent(other.key, candidateOf(3).key);
  expect(known.areSiblings(hub.key, other.key)).toBe(true);
});

test("the distance of a URL is told when it was known before, and pages that one page links to are siblings", () => {
  const known = new KnownUrls(100, freeMemory());
  const [start, first, second, third] = [0, 1, 2, 3].map((number) => candidateOf(number, Math.min(number, 1)));
  if (start === undefined || first === undefined || second === undefined || third === undefined) throw new Error();
  known.add(start);
  known.startReading();
  for (const child of [first, second]) {
    known.add(child);
    known.addParent(child.key, start.key);
  }
  known.list(third);
  expect([start, first, third].map(({ key }) => known.depthBefore(key))).toEqual([0, undefined, 0]);
  known.startReading();
  expect(known.depthBefore(first.key)).toBe(1);
  expect(known.areSiblings(first.key, second.key)).toBe(true);
  expect(known.areSiblings(first.key, third.key)).toBe(false);
  known.addParent(second.key, third.key);
  known.addParent(second.key, third.key);
  expect(known.areSiblings(first.key, second.key)).toBe(true);
  expect(known.areSiblings(start.key, first.key)).toBe(false);
});

test("URLs that wait for the robots.txt of their host are bounded, and the others are counted", () => {
  const memory = freeMemory();
  const later = new LaterUrls(memory);
  for (let number = 0; number < 20_100; number++) later.add(candidateOf(number));
  expect([later.take().length, later.left, later.take().length]).toEqual([20_000, 100, 0]);
  const long = "x".repeat(100_000);
  for (let number = 0; number < 25; number++) later.add({ ...candidateOf(number), url: long, key: long });
  expect([later.take().length, later.left]).toEqual([20, 105]);
});

test("estimates that run together keep no more URLs than the memory of a team has room for", () => {
  const held = new HeldBytes({ ofTeam: 2_000_000, inAll: 4_000_000 });
  const owner = { teamId: "team", keyId: "key" };
  const estimates = Array.from({ length: 20 }, () => new GrowingBytes(held, owner));
  const known = estimates.map((memory) => new KnownUrls(10, memory));
  for (let number = 0; number < 2_000; number++) {
    for (const each of known) {
      if (!each.isFull) each.add(candidateOf(number));
      each.list(candidateOf(2_000 + number));
    }
  }
  const kept = known.reduce((sum, each) => sum + each.kept.length, 0);
  // 350 bytes and more each; the earliest one keeps all that it finds.
  expect(kept * 350).toBeLessThan(2_000_000 + 20 * 64_000 + 4_000 * 400);
  expect(known[0]?.kept.length).toBe(4_000);
  expect(known.slice(-5).every(({ isFull, size }) => isFull && size >= 2_000)).toBe(true);
  for (const memory of estimates) memory.release();
  expect(held.bytesOf("team")).toBe(0);
});
