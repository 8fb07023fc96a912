import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { UnreadClients } from "../../../../src/tools/ingress/unread-clients.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

function clientsOf() {
  const unread = new UnreadClients();
  const cut: string[] = [];
  const begin = (name: string, owner = "o") => {
    const wait = unread.begin(owner, () => {
      cut.push(name);
      // As a socket that closes.
      setTimeout(() => wait.end(), 1);
    });
    return wait;
  };
  return { begin, cut };
}

test("a client that reads nothing for a minute is cut off, one that reads on is not", () => {
  const { begin, cut } = clientsOf();
  begin("stopped");
  const slow = begin("slow");
  vi.advanceTimersByTime(59_000);
  expect(slow.isLong()).toBe(true);
  slow.end();
  begin("slow again");
  vi.advanceTimersByTime(2_000);
  expect(cut).toEqual(["stopped"]);
  vi.advanceTimersByTime(57_000);
  expect(cut).toEqual(["stopped"]);
  vi.advanceTimersByTime(2_000);
  expect(cut).toEqual(["stopped", "slow again"]);
});

test("of a caller with many such clients, those that have not read for longest are cut off after half a minute", () => {
  const { begin, cut } = clientsOf();
  begin("other", "p");
  for (let n = 0; n < 60; n++) begin(`${n}`);
  vi.advanceTimersByTime(29_900);
  expect(cut).toEqual([]);
  vi.advanceTimersByTime(200);
  expect(cut).toEqual(Array.from({ length: 10 }, (_, n) => `${n}`));
  vi.advanceTimersByTime(30_000);
  expect(cut).toHaveLength(61);
});
