import { expect, test } from "vitest";
import { RequestTurns } from "../../../../src/tools/ingress/request-turns.ts";

/** Turns of a service that answers a question when `answer` is called. */
function setUp({ mostUnseen = 2, mostWaiting = 100, mostInAll = 1_000 } = {}) {
  const begun: string[] = [];
  const refused: string[] = [];
  const places = new Map<string, number>();
  let asked = 0;
  let answerAsked = (): void => undefined;
  const ask = (): Promise<void> => {
    asked++;
    return new Promise((resolve) => (answerAsked = resolve));
  };
  const turns = new RequestTurns({ mostUnseen, mostWaiting, mostInAll, ask });
  const enter = (owner: string, name: string) =>
    turns.enter(owner, {
      begin: (place) => {
        begun.push(name);
        places.set(name, place);
      },
      refuse: () => refused.push(name),
    });
  return {
    begun,
    refused,
    enter,
    asked: () => asked,
    answer: async () => {
      answerAsked();
      await new Promise(setImmediate);
    },
    see: (name: string) => turns.noteSeen(places.get(name) ?? 0),
  };
}

test("requests begin at once while few are on their way", () => {
  const { begun, enter, asked } = setUp();
  enter("a", "a1");
  enter("a", "a2");
  expect(begun).toEqual(["a1", "a2"]);
  expect(asked()).toBe(0);
});

test("owners take turns, however many requests of one wait", () => {
  const { begun, enter, see } = setUp();
  for (let n = 1; n <= 50; n++) enter("a", `a${n}`);
  enter("b", "b1");
  enter("b", "b2");
  enter("c", "c1");
  expect(begun).toEqual(["a1", "a2"]);
  for (let n = 0; n < 6; n++) see(begun[n] ?? "");
  expect(begun.slice(2)).toEqual(["a3", "b1", "c1", "a4", "b2", "a5"]);
});

test("a response is a sign that the service has come to all requests before it", () => {
  const { begun, enter, see } = setUp();
  for (let n = 1; n <= 4; n++) enter("a", `a${n}`);
  see("a2");
  expect(begun).toEqual(["a1", "a2", "a3", "a4"]);
  see("a1");
  enter("a", "a5");
  expect(begun).toHaveLength(4);
});

test("the service is asked, one question at a time, when no response tells whether it has come to a request", async () => {
  const { begun, enter, asked, answer } = setUp();
  for (let n = 1; n <= 6; n++) enter("a", `a${n}`);
  expect(asked()).toBe(1);
  await answer();
  expect(begun).toEqual(["a1", "a2", "a3", "a4"]);
  expect(asked()).toBe(2);
  await answer();
  expect(begun).toHaveLength(6);
  // Nothing waits any more.
  expect(asked()).toBe(2);
});

test("responses that come before the answer to a question do not end the questions", async () => {
  const { begun, enter, asked, answer, see } = setUp();
  for (let n = 1; n <= 6; n++) enter("a", `a${n}`);
  see("a2");
  expect(begun).toHaveLength(4);
  await answer();
  expect(asked()).toBe(2);
  await answer();
  expect(begun).toHaveLength(6);
});

test("a request that gave up its wait does not begin", () => {
  const { begun, enter, see } = setUp({ mostUnseen: 1 });
  enter("a", "a1");
  const left = enter("b", "b1");
  enter("b", "b2");
  left.leave();
  const alone = enter("c", "c1");
  alone.leave();
  enter("a", "a2");
  for (let n = 0; n < 3; n++) see(begun[n] ?? "");
  expect(begun).toEqual(["a1", "b2", "a2"]);
  // It has begun.
  alone.leave();
  left.leave();
  enter("b", "b3");
  expect(begun.at(-1)).toBe("b3");
});

test("requests beyond the number that may wait are refused, of that owner alone", () => {
  const { begun, refused, enter, see } = setUp({ mostUnseen: 1, mostWaiting: 2 });
  for (let n = 1; n <= 4; n++) enter("a", `a${n}`);
  enter("b", "b1");
  expect(refused).toEqual(["a4"]);
  see("a1");
  enter("a", "a5");
  for (let n = 1; n < 5; n++) see(begun[n] ?? "");
  expect(begun).toEqual(["a1", "a2", "b1", "a3", "a5"]);
  expect(refused).toEqual(["a4"]);
});

test("when too many wait in all, the latest of the owner with most of them is refused", () => {
  const { begun, refused, enter, see } = setUp({ mostUnseen: 1, mostInAll: 5 });
  for (const name of ["a1", "a2", "a3", "a4", "b1", "b2", "c1"]) enter(name.slice(0, 1), name);
  expect(refused).toEqual(["a4"]);
  enter("c", "c2");
  enter("d", "d1");
  expect(refused).toHaveLength(3);
  expect(refused).not.toContain("d1");
  for (let n = 0; n < 8; n++) see(begun[n] ?? "");
  expect(begun).toHaveLength(6);
  expect([...begun, ...refused].toSorted()).toEqual(["a1", "a2", "a3", "a4", "b1", "b2", "c1", "c2", "d1"]);
});
