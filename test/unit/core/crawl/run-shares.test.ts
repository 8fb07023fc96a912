import { expect, test } from "vitest";
import { RunShares } from "../../../../src/core/crawl/run-shares.ts";

const A = { teamId: "a", keyId: "a" };
const B = { teamId: "b", keyId: "b" };

function join(shares: RunShares, runs: number, owner: typeof A, nowMs = 0): number[] {
  return Array.from({ length: runs }, (_, at) => shares.shareOf(`${owner.teamId}${at}`, owner, nowMs));
}

test("sixteen runs of one team have all of their pages, and with more of them each has less", () => {
  const shares = new RunShares();
  expect(join(shares, 16, A)).toEqual(Array(16).fill(1));
  expect(join(shares, 64, A).at(-1)).toBe(1 / 4);
});

test("teams have equal parts, however many runs they have", () => {
  const shares = new RunShares();
  join(shares, 320, A);
  expect(join(shares, 8, B).at(-1)).toBe(1);
  expect(shares.shareOf("a0", A, 0)).toBe(1 / 40);
});

test("runs that have left, or were not seen for their life, leave room to the others", () => {
  const shares = new RunShares();
  join(shares, 32, A);
  for (let at = 16; at < 32; at++) shares.leave(`a${at}`);
  expect(shares.shareOf("a0", A, 0)).toBe(1);
  join(shares, 32, A, 1_000);
  expect(shares.shareOf("a0", A, 13_000)).toBeLessThan(1);
  expect(shares.shareOf("a0", A, 13_001)).toBe(1);
});
