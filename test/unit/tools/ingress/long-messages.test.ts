import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LongMessages } from "../../../../src/tools/ingress/long-messages.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

/** Two messages at once, 1,000 bytes a second, and ten seconds for each, or five beside others that wait. */
function turns() {
  const messages = new LongMessages({
    atOnce: 2,
    bytesPerSecond: 1_000,
    sendingMs: 10_000,
    sendingBesideOthersMs: 5_000,
  });
  const log: string[] = [];
  const sender = (group: string, name: string) => {
    const self = { group, cut: () => void log.push(`${name} cut`) };
    return {
      begin: () => messages.begin(self, () => void log.push(`${name} begins`)),
      end: (bytes: number) => messages.end(self, bytes, () => void log.push(`${name} ends`)),
      leave: () => messages.leave(self),
    };
  };
  return { sender, log };
}

test("groups take turns, and of one group one sender at a time sends", () => {
  const { sender, log } = turns();
  const [a1, a2, a3] = ["a1", "a2", "a3"].map((name) => sender("a", name));
  const [b, c] = [sender("b", "b"), sender("c", "c")];
  for (const one of [a1, a2, a3, b, c]) one?.begin();
  expect(log).toEqual(["a1 begins", "b begins"]);
  a1?.end(10);
  expect(log.slice(2)).toEqual(["a2 begins", "a1 ends"]);
  vi.advanceTimersByTime(1_000);
  // a3 has waited longer, but its group has just had its turn.
  a2?.end(10);
  expect(log.slice(4)).toEqual(["c begins", "a2 ends"]);
  vi.advanceTimersByTime(1_000);
  b.end(10);
  expect(log.slice(6)).toEqual(["a3 begins", "b ends"]);
});

test("messages that are complete at once end one after another, at the rate", () => {
  const { sender, log } = turns();
  const [a, b] = [sender("a", "a"), sender("b", "b")];
  a.begin();
  b.begin();
  a.end(3_000);
  b.end(3_000);
  expect(log).toEqual(["a begins", "b begins", "a ends"]);
  vi.advanceTimersByTime(2_900);
  expect(log).toHaveLength(3);
  vi.advanceTimersByTime(200);
  expect(log.at(-1)).toBe("b ends");
});

test("a sender that takes too long is cut off, one that waits for its end is not", () => {
  const { sender, log } = turns();
  const [a, b, c] = [sender("a", "a"), sender("b", "b"), sender("c", "c")];
  for (const one of [a, b, c]) one.begin();
  a.end(20_000);
  // That of c begins meanwhile.
  c.end(10);
  vi.advanceTimersByTime(10_000);
  expect(log).toEqual(["a begins", "b begins", "c begins", "a ends", "b cut"]);
  b.leave();
  vi.advanceTimersByTime(10_100);
  expect(log.at(-1)).toBe("c ends");
});

test("senders whose connection has ended leave their places, also while they wait", () => {
  const { sender, log } = turns();
  const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => sender(name, name));
  for (const one of [a, b, c, d]) one?.begin();
  c?.leave();
  a?.leave();
  expect(log).toEqual(["a begins", "b begins", "d begins"]);
  vi.advanceTimersByTime(10_000);
  expect(log.slice(3)).toEqual(["b cut", "d cut"]);
});

test("a sender that takes long is cut off sooner when another one waits", () => {
  const { sender, log } = turns();
  const [a, b, c] = [sender("a", "a"), sender("b", "b"), sender("c", "c")];
  a.begin();
  b.begin();
  vi.advanceTimersByTime(5_100);
  expect(log).toEqual(["a begins", "b begins"]);
  c.begin();
  vi.advanceTimersByTime(5_000);
  expect(log.slice(2)).toEqual(["a cut", "b cut"]);
});

test("the messages of senders that leave before their ends take no time of others", () => {
  const { sender, log } = turns();
  const [first, left, last] = [sender("a", "first"), sender("b", "left"), sender("c", "last")];
  first.begin();
  first.end(1_000);
  for (let n = 0; n < 50; n++) {
    left.begin();
    left.end(30_000);
    left.leave();
  }
  last.begin();
  last.end(10);
  vi.advanceTimersByTime(1_100);
  expect(log.at(-1)).toBe("last ends");
});
