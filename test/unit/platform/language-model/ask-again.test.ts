import { APICallError } from "ai";
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
