import { describe, expect, test } from "vitest";
import { nextTickMs, type LeaseOutcome, type PoolEffect } from "../../../../src/core/sessions/browser-pool.ts";
import { DrivenPool } from "../../../fakes/driven-pool.ts";

const kinds = (effects: PoolEffect[]) => effects.map(({ kind }) => kind);

describe("the browser pool", () => {
  test("launches for the first caller and hands the browser out with the time that was waited", () => {
    const pool = new DrivenPool();
    expect(pool.ask("a")).toEqual([{ kind: "launch" }]);
    pool.nowMs += 1500;
    expect(pool.launched()).toEqual([{ kind: "grant", leaseId: "a", sessionId: "browser-1", queuedMs: 1500 }]);
  });

  test("fills one browser before it launches a second, and serves waiters in the order in which they came", () => {
    const pool = new DrivenPool();
    pool.ask("a");
    pool.launched();
    expect(kinds(pool.ask("b"))).toEqual(["grant"]);
    pool.nowMs += 2000;
    expect(kinds(pool.ask("c"))).toEqual(["launch"]);
    expect(pool.ask("d")).toEqual([]);
    const grants = pool.launched();
    expect(grants.map((effect) => "leaseId" in effect && effect.leaseId)).toEqual(["c", "d"]);
    expect(pool.ask("e")).toEqual([]);
    expect(pool.release("a")).toMatchObject([{ kind: "grant", leaseId: "e", sessionId: "browser-1" }]);
  });

  test("gives a team that has no context one beside those of other teams, when no other browser can be launched", () => {
    const pool = new DrivenPool({ contextsPerBrowser: 4, launchIntervalMs: 0, maxPages: 1_000 });
    const granted = (): string[] => pool.effects.flatMap((effect) => (effect.kind === "grant" ? [effect.leaseId] : []));
    const ask = (leaseId: string, teamId: string): string[] => {
      const owner = { teamId, keyId: teamId };
      pool.do({ kind: "asked", leaseId, deadlineMs: pool.nowMs + 30_000, owner });
      return granted();
    };
    for (let number = 0; number < 4; number++) ask(`one ${number}`, "one");
    pool.launched();
    // The second browser is on its way.
    expect(ask("two", "two")).not.toContain("two");
    for (let number = 4; number < 12; number++) ask(`one ${number}`, "one");
    pool.launched();
    expect(granted()).toContain("two");
    expect(pool.state.leases).toHaveLength(8);
    expect(ask("two again", "two")).not.toContain("two again");
    for (const team of ["three", "four", "five", "six"]) expect(ask(team, team)).toContain(team);
    expect(ask("seven", "seven")).not.toContain("seven");
    expect(pool.state.leases).toHaveLength(12);
    // Contexts beside are not for those who have one: a release leaves more than the usual number.
    pool.release("one 0");
    expect(granted()).not.toContain("two again");
    expect(granted()).toContain("seven");
  });

  test("never gives two leases of a browser that is for one", () => {
    const pool = new DrivenPool({ maxBrowsers: 1, contextsPerBrowser: 1 });
    pool.do({ kind: "asked", leaseId: "a", deadlineMs: pool.nowMs + 30_000, owner: { teamId: "a", keyId: "a" } });
    pool.launched();
    const other = { kind: "asked" as const, leaseId: "b", deadlineMs: pool.nowMs + 30_000 };
    expect(pool.do({ ...other, owner: { teamId: "b", keyId: "b" } })).toEqual([]);
  });

  test("launches browsers beside the others for teams that hold none, as many as are allowed, and for nobody else", () => {
    const pool = new DrivenPool({
      maxBrowsers: 2,
      browsersBeside: 1,
      contextsPerBrowser: 1,
      launchIntervalMs: 0,
      warm: 0,
    });
    const ask = (leaseId: string, teamId: string): PoolEffect[] =>
      pool.do({ kind: "asked", leaseId, deadlineMs: pool.nowMs + 30_000, owner: { teamId, keyId: teamId } });
    for (const leaseId of ["one", "another"]) ask(leaseId, "first");
    pool.launched();
    pool.launched();
    expect(ask("third", "first")).toEqual([]);
    expect(kinds(ask("other", "second"))).toEqual(["launch"]);
    expect(nextTickMs(pool.state, pool.settings)).toBe(pool.nowMs + 30_000);
    expect(pool.launched()).toMatchObject([{ kind: "grant", leaseId: "other", sessionId: "browser-3" }]);
    expect(ask("late", "third")).toEqual([]);
    expect(ask("own", "second")).toEqual([]);
    // All three are held by others: the one that becomes free is for the team that holds none.
    expect(pool.release("one")).toMatchObject([{ kind: "grant", leaseId: "late" }]);
    // Two are held, as many as usual: the third one is for nobody.
    expect(kinds(pool.release("late"))).toEqual([]);
    expect(pool.state.leases).toHaveLength(2);
    expect(pool.release("other")).toMatchObject([{ kind: "grant", leaseId: "own" }]);
  });

  test("takes a browser of the operator that is back without a launch, and prefers it to those of the platform", () => {
    const pool = new DrivenPool();
    pool.ask("a");
    pool.launched();
    expect(pool.do({ kind: "found", sessionId: "own-12345678-1" })).toEqual([]);
    expect(pool.ask("b")).toMatchObject([{ kind: "grant", leaseId: "b", sessionId: "own-12345678-1" }]);
    expect(pool.ask("c")).toMatchObject([{ kind: "grant", leaseId: "c", sessionId: "own-12345678-1" }]);
    expect(pool.ask("d")).toMatchObject([{ kind: "grant", leaseId: "d", sessionId: "browser-1" }]);
    expect(pool.state).toMatchObject({ launching: 0, failures: 0 });
  });

  test("keeps the launch budget: the next launch waits for its time", () => {
    const pool = new DrivenPool({ contextsPerBrowser: 1 });
    expect(kinds(pool.ask("a"))).toEqual(["launch"]);
    expect(pool.ask("b")).toEqual([]);
    expect(nextTickMs(pool.state, pool.settings)).toBe(pool.nowMs + 1000);
    expect(kinds(pool.after(1000))).toEqual(["launch"]);
  });

  test("honours Retry-After, and tells callers at once who cannot wait that long", () => {
    const pool = new DrivenPool();
    pool.ask("short", 5_000);
    pool.ask("long", 60_000);
    const effects = pool.do({ kind: "launch_failed", retryAfterMs: 20_000 });
    expect(effects).toEqual([{ kind: "refuse", leaseId: "short", reason: "unavailable", retryAfterMs: 20_000 }]);
    expect(pool.after(19_000)).toEqual([]);
    expect(kinds(pool.after(1_000))).toEqual(["launch"]);
  });

  test("tells every waiter when launches keep failing", () => {
    const pool = new DrivenPool();
    pool.ask("a", 120_000);
    const effects: PoolEffect[] = [];
    for (let attempt = 0; attempt < 3; attempt++)
      effects.push(...pool.do({ kind: "launch_failed" }), ...pool.after(20_000));
    expect(effects.filter(({ kind }) => kind === "refuse")).toMatchObject([{ leaseId: "a", reason: "unavailable" }]);
  });

  test("refuses a waiter at its deadline and not before", () => {
    const pool = new DrivenPool();
    pool.ask("a", 3_000);
    expect(pool.after(2_999)).toEqual([]);
    expect(pool.after(1)).toEqual([{ kind: "refuse", leaseId: "a", reason: "deadline" }]);
  });

  test.each<{ why: string; outcome: LeaseOutcome; pages?: number }>([
    { why: "after a crash", outcome: "crashed" },
    { why: "after a page that hung", outcome: "hung" },
    { why: "when it is gone", outcome: "gone" },
    { why: "after its last page", outcome: "ok", pages: 5 },
  ])("recycles a browser $why, once its other pages are done", ({ outcome, pages = 1 }) => {
    const pool = new DrivenPool();
    pool.ask("other");
    pool.launched();
    for (let page = 1; page < pages - 1; page++) {
      pool.ask(`page-${page}`);
      pool.release(`page-${page}`);
    }
    pool.ask("last");
    expect(kinds(pool.release("last", outcome))).not.toContain("close");
    pool.nowMs += 2000;
    expect(kinds(pool.ask("next"))).toEqual(["launch"]);
    expect(pool.release("other")).toContainEqual({ kind: "close", sessionId: "browser-1" });
  });

  test("recycles a browser that is too old", () => {
    const pool = new DrivenPool({ warmCloseMs: 10_000_000 });
    pool.ask("a");
    pool.launched();
    pool.nowMs += 600_000;
    expect(kinds(pool.release("a"))).toEqual(["close"]);
  });

  test("removes the context of a page that hung", () => {
    const pool = new DrivenPool();
    pool.ask("a");
    pool.launched();
    pool.do({ kind: "bound", leaseId: "a", contextId: "context-a" });
    expect(pool.release("a", "hung")).toContainEqual({
      kind: "dispose",
      sessionId: "browser-1",
      contextId: "context-a",
    });
  });

  test("takes a lease back that nobody returned, context included", () => {
    const pool = new DrivenPool();
    pool.ask("a", 30_000);
    pool.launched();
    pool.do({ kind: "bound", leaseId: "a", contextId: "context-a" });
    expect(pool.after(39_999)).toEqual([]);
    expect(kinds(pool.after(1))).toEqual(["lost", "dispose", "close"]);
    expect(pool.release("a")).toEqual([]);
  });

  test("does not trust idle browsers after one of them turned out dead", () => {
    const pool = new DrivenPool({ contextsPerBrowser: 1 });
    pool.ask("a");
    pool.launched();
    pool.after(1000);
    pool.ask("b");
    pool.launched();
    pool.release("a");
    pool.release("b");
    pool.nowMs += 6000;
    pool.ask("c");
    expect(pool.release("c", "gone").filter(({ kind }) => kind === "close")).toHaveLength(2);
  });

  test("closes what rests: browsers above the warm ones soon, the warm ones later", () => {
    const pool = new DrivenPool({ contextsPerBrowser: 1 });
    pool.ask("a");
    pool.launched();
    pool.after(1000);
    pool.ask("b");
    pool.launched();
    pool.release("a");
    pool.nowMs += 1;
    pool.release("b");
    expect(pool.after(20_000)).toEqual([{ kind: "close", sessionId: "browser-1" }]);
    pool.do({ kind: "closed", sessionId: "browser-1" });
    expect(pool.after(39_999)).toEqual([]);
    expect(pool.after(1)).toEqual([{ kind: "close", sessionId: "browser-2" }]);
    pool.do({ kind: "closed", sessionId: "browser-2" });
    expect(nextTickMs(pool.state, pool.settings)).toBeUndefined();
  });

  test("asks again to close a browser whose closing was not confirmed", () => {
    const pool = new DrivenPool({ warmCloseMs: 1000 });
    pool.ask("a");
    pool.launched();
    pool.release("a");
    expect(kinds(pool.after(1000))).toEqual(["close"]);
    expect(pool.after(29_999)).toEqual([]);
    expect(kinds(pool.after(1))).toEqual(["close"]);
  });
});

describe("spare browsers", () => {
  const settings = {
    maxBrowsers: 4,
    contextsPerBrowser: 1,
    maxPages: 1,
    warm: 1,
    spare: 1,
    spareDelayMs: 500,
    idleCloseMs: 0,
  };
  const launches = (effects: PoolEffect[]): number => effects.filter(({ kind }) => kind === "launch").length;

  test("are started a moment after somebody asked, and not before", () => {
    const pool = new DrivenPool(settings);
    expect(launches(pool.ask("first"))).toBe(1);
    pool.launched();
    expect(launches(pool.after(400))).toBe(0);
    expect(nextTickMs(pool.state, pool.settings)).toBe(pool.nowMs + 600);
    expect(launches(pool.after(600))).toBe(1);
    pool.launched();
    expect(launches(pool.after(5_000))).toBe(0);
    expect(pool.ask("second")).toContainEqual(expect.objectContaining({ kind: "grant", sessionId: "browser-2" }));
  });

  test("are closed when nobody comes", () => {
    const pool = new DrivenPool(settings);
    pool.ask("first");
    pool.launched();
    pool.after(1_000);
    pool.launched();
    expect(pool.release("first")).toContainEqual({ kind: "close", sessionId: "browser-1" });
    expect(pool.after(60_000)).toContainEqual({ kind: "close", sessionId: "browser-2" });
  });

  test("never go over the limit, and are not owed for ever", () => {
    const pool = new DrivenPool({ ...settings, maxBrowsers: 1 });
    pool.ask("first");
    pool.launched();
    expect(launches(pool.after(10_000))).toBe(0);
    expect(pool.state.sparesDueMs).toBeUndefined();
  });

  test("leaves the browsers and leases that an event does not concern as they are, so that few rows are written", () => {
    const pool = new DrivenPool({ maxBrowsers: 50, contextsPerBrowser: 4, maxPages: 1_000, launchIntervalMs: 0 });
    for (let load = 0; load < 200; load++) {
      for (const effect of pool.ask(`load-${load}`)) if (effect.kind === "launch") pool.launched();
    }
    expect(pool.state).toMatchObject({ browsers: { length: 50 }, leases: { length: 200 } });
    const changedBy = (event: () => void) => {
      const before = new Set<object>([...pool.state.browsers, ...pool.state.leases]);
      event();
      return [...pool.state.browsers, ...pool.state.leases].filter((item) => !before.has(item)).length;
    };
    // The release changes a browser, the request a browser and its lease, and the context the lease.
    expect(changedBy(() => pool.release("load-17"))).toBe(1);
    expect(changedBy(() => pool.ask("next"))).toBe(2);
    expect(changedBy(() => pool.do({ kind: "bound", leaseId: "next", contextId: "context" }))).toBe(1);
    expect(changedBy(() => pool.after(1))).toBe(0);
  });
});
