import { expect, test } from "vitest";
import type { SessionPlan } from "../../../src/core/sessions/browser-session.ts";
import {
  beginLife,
  countRun,
  dueEnd,
  endIfDue,
  endLife,
  sessionCredits,
  touchLife,
} from "../../../src/sessions/life.ts";

const PLAN: SessionPlan = {
  id: "session",
  teamId: "team",
  keyId: "key",
  monthlyCredits: undefined,
  ttlMs: 600_000,
  activityTtlMs: 300_000,
  streamWebView: true,
  recordSession: false,
  ownHosts: [],
};
const START_MS = 1_000_000;
const life = beginLife(PLAN, START_MS);

test("a session that nobody uses ends by its idle time, dated to when it was due", () => {
  expect(endIfDue(life, START_MS + 299_999).end).toBeUndefined();
  expect(endIfDue(life, START_MS + 900_000).end).toEqual({ atMs: START_MS + 300_000, reason: "idle" });
});

test("use puts the idle time off, but never the last moment", () => {
  const used = touchLife(touchLife(life, START_MS + 290_000), START_MS + 560_000);
  expect(dueEnd(used)).toEqual({ atMs: START_MS + 600_000, reason: "ttl" });
});

test("time that goes back changes nothing", () => {
  expect(touchLife(life, START_MS - 5_000).lastActivityMs).toBe(START_MS);
});

test("a session is not idle while it runs something", () => {
  const short = beginLife({ ...PLAN, activityTtlMs: 10_000 }, START_MS);
  const busy = countRun(short, 1, START_MS + 1_000);
  expect(endIfDue(busy, START_MS + 60_000).end).toBeUndefined();
  const rested = countRun(busy, -1, START_MS + 60_000);
  expect(endIfDue(rested, START_MS + 70_000).end).toEqual({ atMs: START_MS + 70_000, reason: "idle" });
});

test("what has ended stays ended as it was", () => {
  const ended = endLife(life, "deleted", START_MS + 5_000);
  expect(endLife(ended, "ttl", START_MS + 9_000)).toBe(ended);
  expect(endIfDue(ended, START_MS + 9_000_000)).toBe(ended);
  expect(touchLife(ended, START_MS + 9_000)).toBe(ended);
});

test.each([
  { seconds: 1, isPrompted: false, credits: 2 },
  { seconds: 60, isPrompted: false, credits: 2 },
  { seconds: 61, isPrompted: false, credits: 3 },
  { seconds: 90, isPrompted: false, credits: 3 },
  { seconds: 600, isPrompted: false, credits: 20 },
  { seconds: 30, isPrompted: true, credits: 7 },
  { seconds: 120, isPrompted: true, credits: 14 },
])("$seconds s cost $credits credits (prompted: $isPrompted)", ({ seconds, isPrompted, credits }) => {
  const ended = endLife({ ...life, isPrompted }, "deleted", START_MS + seconds * 1000);
  expect(sessionCredits(ended, START_MS)).toBe(credits);
});
