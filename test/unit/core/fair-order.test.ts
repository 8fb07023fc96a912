import { describe, expect, test } from "vitest";
import { nextByFairness, noteServed, type Owner } from "../../../src/core/fair-order.ts";
import { EMPTY_POOL, stepPool, type PoolState } from "../../../src/core/sessions/browser-pool.ts";

const owner = (teamId: string, keyId = "key"): Owner => ({ teamId, keyId });

/** Serves everybody who waits, one at a time, each giving back at once; tells who came when. */
function serveAll(waiting: { owner: Owner }[]): string[] {
  const order: string[] = [];
  let served: Owner[] = [];
  while (waiting.length > 0) {
    const [next] = waiting.splice(nextByFairness(waiting, { holding: [], served }), 1);
    if (next === undefined) break;
    served = noteServed(served, next.owner, waiting);
    order.push(`${next.owner.teamId}/${next.owner.keyId}`);
  }
  return order;
}

const many = (count: number, of: Owner) => Array.from({ length: count }, () => ({ owner: of }));

describe("who is served next", () => {
  test("a team's first request is second at most, however many another team has waiting", () => {
    const order = serveAll([...many(400, owner("loud")), ...many(3, owner("quiet"))]);
    expect(order.slice(0, 6)).toEqual(["loud/key", "quiet/key", "loud/key", "quiet/key", "loud/key", "quiet/key"]);
    expect(order).toHaveLength(403);
  });

  test("keys of one team take turns within the team's share", () => {
    const order = serveAll([
      ...many(100, owner("a", "bulk")),
      ...many(2, owner("a", "other")),
      ...many(4, owner("b", "own")),
    ]);
    expect(order.slice(0, 8)).toEqual(["a/bulk", "b/own", "a/other", "b/own", "a/bulk", "b/own", "a/other", "b/own"]);
  });

  test("many keys give a team no more than its share", () => {
    const keys = Array.from({ length: 50 }, (_, index) => ({ owner: owner("many", `key ${index}`) }));
    const order = serveAll([...keys, ...many(10, owner("one"))]);
    expect(order.slice(0, 20).filter((name) => name.startsWith("one"))).toHaveLength(10);
  });

  test("who holds less goes before who holds more, whoever was served last", () => {
    const holding = many(4, owner("busy"));
    const waiting = [{ owner: owner("busy") }, { owner: owner("idle") }];
    expect(nextByFairness(waiting, { holding, served: [owner("busy"), owner("idle")] })).toBe(1);
  });

  test("within one key it is first come, first served, and nobody waiting is nobody", () => {
    expect(nextByFairness(many(3, owner("a")), { holding: [], served: [owner("a")] })).toBe(0);
    expect(nextByFairness([], { holding: [], served: [] })).toBe(-1);
  });

  test("those who have gone are forgotten", () => {
    const served = Array.from({ length: 100 }, (_, index) => owner(`gone ${index}`));
    expect(noteServed(served, owner("here"), [{ owner: owner("here") }])).toEqual([owner("here")]);
  });
});

test("a pool with 400 pages of one team waiting grants the next free place to another team", () => {
  const settings = {
    maxBrowsers: 1, contextsPerBrowser: 4, warm: 1, launchIntervalMs: 0, maxPages: 1_000, maxAgeMs: 1e9, idleCloseMs: 1e9,
    warmCloseMs: 1e9, leaseGraceMs: 1_000,
  }; // prettier-ignore
  let state: PoolState = EMPTY_POOL;
  const granted: string[] = [];
  const step = (event: Parameters<typeof stepPool>[1]): void => {
    const next = stepPool(state, event, { settings, nowMs: 0 });
    state = next.state;
    for (const effect of next.effects) if (effect.kind === "grant") granted.push(effect.leaseId);
  };
  const ask = (leaseId: string, teamId: string): void =>
    step({ kind: "asked", leaseId, deadlineMs: 1e6, owner: owner(teamId) });
  for (let number = 0; number < 400; number++) ask(`loud ${number}`, "loud");
  step({ kind: "launched", sessionId: "browser" });
  expect(granted).toHaveLength(4);
  for (let number = 0; number < 3; number++) ask(`quiet ${number}`, "quiet");
  // The places may be held for minutes: the first page of another team gets one beside them.
  expect(granted.slice(4)).toEqual(["quiet 0"]);
  for (let number = 0; number < 4; number++) step({ kind: "released", leaseId: `loud ${number}`, outcome: "ok" });
  expect(granted.slice(4, 6)).toEqual(["quiet 0", "quiet 1"]);
  expect(granted.slice(4)).toHaveLength(4);
});
