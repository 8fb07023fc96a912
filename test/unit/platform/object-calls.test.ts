import { expect, test, vi } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { ANSWER_LIMIT_MS, createObjectCalls } from "../../../src/platform/object-calls.ts";

/** Objects whose stubs break as often as they are told to. */
function objects(failures: unknown[]) {
  const stubs: number[] = [];
  const getByName = (): number => stubs.push(0);
  const ask = async (): Promise<string> => {
    if (failures.length > 0) throw failures.shift();
    return "answered";
  };
  return { call: createObjectCalls({ getByName }), ask, stubs };
}

test("a call that was lost on the way is made again, over a new stub", async () => {
  const { call, ask, stubs } = objects([new Error("lost")]);
  expect(await call("job", ask)).toBe("answered");
  expect(stubs).toHaveLength(2);
});

test("a call that fails again is told as a service that is not there for the moment", async () => {
  const { call, ask } = objects([new Error("lost"), new Error("lost")]);
  await expect(call("job", ask)).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
});

test("a call that must not be made twice is not", async () => {
  const { call, ask, stubs } = objects([new Error("lost")]);
  await expect(call("job", ask, 1)).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
  expect(stubs).toHaveLength(1);
});

test("a refusal is passed on, and not asked for again", async () => {
  const { call, ask, stubs } = objects([new AppError("JOB_NOT_FOUND")]);
  await expect(call("job", ask)).rejects.toMatchObject({ code: "JOB_NOT_FOUND" });
  expect(stubs).toHaveLength(1);
});

test("an object that does not answer is asked again, and then told as one that is not there", async () => {
  vi.useFakeTimers();
  try {
    const { call, stubs } = objects([]);
    const failed = call("job", () => new Promise<never>(() => undefined)).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(ANSWER_LIMIT_MS);
    expect(stubs).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(ANSWER_LIMIT_MS);
    expect(await failed).toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
