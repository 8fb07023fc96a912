import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { AccountRoom } from "../../../../src/platform/browser/account-room.ts";

let active: string[];
let ofSessions: string[];
let isDown: boolean;
let asked: number;

beforeEach(() => {
  vi.useFakeTimers();
  [active, ofSessions, isDown, asked] = [[], [], false, 0];
});
afterEach(() => vi.useRealTimers());

const fetch = async (): Promise<Response> => {
  asked++;
  if (isDown) return new Response("overloaded", { status: 500 });
  return Response.json({ maxConcurrentSessions: 6, activeSessions: active.map((id) => ({ id })) });
};
// The library uses `fetch` alone.
const BROWSER = { fetch } as unknown as Fetcher;
const env = { BROWSER, BROWSER_POOL: { getByName: () => ({ status: async () => ({ browsers: ofSessions }) }) } };
const limits = { reserved: 4, least: 1 };

test("loads of all regions leave the account the browsers of sessions", async () => {
  const [here, there] = [new AccountRoom(), new AccountRoom()];
  active = ["other"];
  expect(await Promise.all([here.take(env, limits), here.take(env, limits)])).toEqual([true, false]);
  active = ["other", "first"];
  expect(await there.take(env, limits)).toBe(false);
  expect(asked).toBe(2);
  active = ["first"];
  expect(await here.take(env, limits)).toBe(false);
  vi.advanceTimersByTime(3_000);
  expect(await here.take(env, limits)).toBe(true);
});

test("browsers of sessions take no room, and a closed browser gives its own back", async () => {
  const room = new AccountRoom();
  active = ["a", "b", "c", "load"];
  ofSessions = ["a", "b", "c"];
  expect(await room.take(env, limits)).toBe(true);
  expect(await room.take(env, limits)).toBe(false);
  room.giveBack();
  expect(await room.take(env, limits)).toBe(true);
  expect(asked).toBe(1);
});

test("a small account leaves loads their least number, and without an answer the platform decides", async () => {
  const room = new AccountRoom();
  active = ["a"];
  expect(await room.take(env, { reserved: 10, least: 2 })).toBe(true);
  expect(await room.take(env, { reserved: 10, least: 2 })).toBe(false);
  isDown = true;
  vi.advanceTimersByTime(3_000);
  expect(await room.take(env, limits)).toBe(true);
});

test("a limit that could not be read is read again after 15 seconds, and a known one after ten minutes", async () => {
  const room = new AccountRoom();
  isDown = true;
  expect(await room.readLimit(BROWSER)).toBe(false);
  expect([room.limit, room.isLimitDue]).toEqual([undefined, false]);
  vi.advanceTimersByTime(15_000);
  expect(room.isLimitDue).toBe(true);
  isDown = false;
  expect(await room.readLimit(BROWSER)).toBe(true);
  vi.advanceTimersByTime(599_999);
  expect([room.limit, room.isLimitDue]).toEqual([6, false]);
  vi.advanceTimersByTime(1);
  expect(room.isLimitDue).toBe(true);
});
