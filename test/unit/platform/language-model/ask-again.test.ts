import { APICallError, InvalidResponseDataError, JSONParseError } from "ai";
import { expect, test } from "vitest";
import { askAgain } from "../../../../src/platform/language-model/ask-again.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";

test("the wait for the next try ends when the caller cancels", async () => {
  const clock = fixedClock();
  const caller = new AbortController();
  const sleep = (): Promise<void> => {
    caller.abort(new Error("cancelled"));
    return new Promise(() => undefined);
  };
  const busy = new APICallError({
    message: "busy",
    url: "",
    requestBodyValues: {},
    statusCode: 503,
    isRetryable: true,
  });
  const asking = { clock, sleep, deadlineMs: clock.now() + 60_000, signal: caller.signal };
  await expect(askAgain(asking, () => Promise.reject(busy))).rejects.toThrow("cancelled");
});

const callError = (more: { statusCode?: number; cause?: unknown }): APICallError =>
  new APICallError({ message: "failed", url: "", requestBodyValues: {}, ...more });

test.each([
  {
    what: "an answer without choices",
    error: new InvalidResponseDataError({ data: {} }),
    code: "MODEL_BAD_OUTPUT",
    tries: 1,
  },
  { what: "no answer at all", error: new TypeError("null has no text"), code: "MODEL_UNAVAILABLE", tries: 1 },
  {
    what: "an answer that breaks off",
    error: callError({ statusCode: 200, cause: new TypeError("terminated") }),
    code: "MODEL_UNAVAILABLE",
    tries: 4,
  },
  {
    what: "an answer that is no JSON",
    error: callError({ statusCode: 200, cause: new JSONParseError({ text: "", cause: "" }) }),
    code: "MODEL_BAD_OUTPUT",
    tries: 1,
  },
])("$what is $code after $tries tries", async ({ error, code, tries }) => {
  const clock = fixedClock();
  let asked = 0;
  const asking = { clock, sleep: async () => undefined, deadlineMs: clock.now() + 60_000, signal: undefined };
  const ask = (): Promise<never> => (asked++, Promise.reject(error));
  await expect(askAgain(asking, ask)).rejects.toMatchObject({ code });
  expect(asked).toBe(tries);
});
