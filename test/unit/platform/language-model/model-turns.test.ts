import { APICallError } from "ai";
import { expect, test } from "vitest";
import { askAgain } from "../../../../src/platform/language-model/ask-again.ts";
import { acceptedMode, noteAccepted } from "../../../../src/platform/language-model/json-modes.ts";
import { ModelTurns } from "../../../../src/platform/language-model/model-turns.ts";

const clock = { now: () => Date.now() };
const turn = (ms = 10) => new Promise((resolve) => setTimeout(resolve, ms));

/** Calls of teams that share two places; each one ends when it is told to. */
function shared() {
  const asked: string[] = [];
  const slept: number[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const turns = new ModelTurns(2);
  const ask = (name: string, { ms = 5_000, signal = undefined as AbortSignal | undefined } = {}): Promise<string> => {
    const sleep = async (sleepMs: number) => void slept.push(sleepMs);
    const owner = { teamId: name.slice(0, 1), keyId: "k" };
    return askAgain({ clock, sleep, deadlineMs: Date.now() + ms, signal, turns, owner }, () => {
      asked.push(name);
      return new Promise((resolve, reject) => {
        ends.set(name, (error) => (error === undefined ? resolve(name) : reject(error)));
      });
    });
  };
  return { asked, slept, ends, ask };
}

const tooMany = (retryAfter?: string) =>
  new APICallError({
    message: "too many",
    url: "",
    requestBodyValues: {},
    statusCode: 429,
    isRetryable: true,
    ...(retryAfter === undefined ? {} : { responseHeaders: { "retry-after": retryAfter } }),
  });

test("the calls of a team are made some at a time, and the first ones of other teams beside them", async () => {
  const { asked, ends, ask } = shared();
  const all = ["a1", "a2", "a3", "a4", "b1"].map((name) => ask(name));
  await turn();
  expect(asked.toSorted()).toEqual(["a1", "a2", "b1"]);
  for (const name of ["a1", "b1", "a2", "a3", "a4"]) {
    ends.get(name)?.();
    await turn();
  }
  expect(await Promise.all(all)).toEqual(["a1", "a2", "a3", "a4", "b1"]);
});

test("a wait for a turn ends with the deadline of its request, and when its caller cancels", async () => {
  const { asked, ask } = shared();
  void ask("a1");
  void ask("a2");
  const caller = new AbortController();
  const late = ask("a3", { ms: 20 });
  const cancelled = ask("a4", { signal: caller.signal });
  setTimeout(() => caller.abort(new Error("cancelled")), 5);
  const ends = await Promise.allSettled([late, cancelled]);
  expect(ends).toMatchObject([{ reason: { code: "MODEL_TIMEOUT" } }, { reason: { message: "cancelled" } }]);
  expect(asked).toHaveLength(2);
});

test("the pause that a server asks for with 429 holds for the calls of all teams, also for those that wait", async () => {
  const { asked, slept, ends, ask } = shared();
  const all = [ask("a1", { ms: 60_000 }), ask("a2", { ms: 60_000 }), ask("a3", { ms: 60_000 })];
  await turn();
  ends.get("a1")?.(tooMany("3"));
  await turn();
  // The call itself sleeps as long as it is told, and both others that are to be made sleep until the end of the pause.
  expect(slept.filter((ms) => ms > 2_800 && ms <= 3_000).length).toBeGreaterThanOrEqual(2);
  const other = ask("b1", { ms: 1_000 });
  await expect(other).rejects.toMatchObject({ code: "MODEL_UNAVAILABLE", details: { statusCode: 429 } });
  for (const name of ["a2", "a3", "a1"]) {
    await turn();
    ends.get(name)?.();
  }
  expect(await Promise.all(all)).toEqual(["a1", "a2", "a3"]);
  expect(asked.filter((name) => name === "a1")).toHaveLength(2);
});

test("a call that waits for its turn keeps it when a pause has ended by then", async () => {
  let time = 0;
  const turns = new ModelTurns(1, () => time);
  const made: string[] = [];
  const ends: (() => void)[] = [];
  const owner = { teamId: "a", keyId: "k" };
  const run = (name: string) =>
    turns.run(
      { owner, deadlineMs: Date.now() + 5_000, signal: undefined, waitUntil: async () => void (await turn()) },
      () => {
        made.push(name);
        return new Promise<void>((resolve) => ends.push(resolve));
      },
    );
  const all = ["first", "second"].map(run);
  await turn();
  turns.pause(1_000);
  time = 2_000;
  all.push(run("third"));
  for (let ended = 1; ended <= 3; ended++) {
    ends.shift()?.();
    await turn(20);
  }
  await Promise.all(all);
  expect(made).toEqual(["first", "second", "third"]);
});

test("a 429 without a time pauses the calls of no others, and a long pause is cut", async () => {
  const { ends, ask } = shared();
  void ask("a1").catch(() => undefined);
  await turn();
  ends.get("a1")?.(tooMany());
  await turn();
  const next = ask("b1");
  await turn();
  ends.get("b1")?.(tooMany("86400"));
  await expect(next).rejects.toMatchObject({ code: "MODEL_UNAVAILABLE" });
  const patient = ask("c1", { ms: 30_000 });
  await turn();
  ends.get("c1")?.();
  expect(await patient).toBe("c1");
});

test("a weaker form of JSON is remembered for its schema alone, and for ten minutes", () => {
  const [hostile, usual] = [{ type: "object", not: {} }, { type: "object" }];
  noteAccepted("model", hostile, "json", 0);
  expect(acceptedMode("model", hostile, 599_999)).toBe("json");
  expect(acceptedMode("model", usual, 1)).toBe("schema");
  expect(acceptedMode("other", hostile, 1)).toBe("schema");
  noteAccepted("model", hostile, "json", 599_999);
  expect(acceptedMode("model", hostile, 600_000)).toBe("schema");
  for (let number = 0; number < 1_001; number++) noteAccepted("model", { const: number }, "none", 0);
  expect([0, 1_000].map((number) => acceptedMode("model", { const: number }, 1))).toEqual(["schema", "none"]);
});
