import { describe, expect, test, vi } from "vitest";
import { createSessionConnector } from "../../../../src/platform/sessions/session-connector.ts";

/** As much of a binding as a live view asks for; the casts are safe because nothing else is called. */
function connectorWith(getLiveView: (id: string, options: object) => unknown) {
  const asked: [string, object][] = [];
  const binding = {
    getLiveView: async (id: string, options: object) => {
      asked.push([id, options]);
      return getLiveView(id, options);
    },
  } as unknown as Fetcher;
  const views = {} as Parameters<typeof createSessionConnector>[0]["views"];
  return { asked, doors: createSessionConnector({ binding, views }) };
}

describe("the platform's own live view", () => {
  const ADDRESS = "https://live.example/ui/view?mode=tab&jwt=x";

  test("is used where the binding has one, read only for viewers", async () => {
    const { doors, asked } = connectorWith(() => ({ url: ADDRESS }));
    expect(await doors.nativeView("b1", "view")).toBe(ADDRESS);
    expect(await doors.nativeView("b1", "drive")).toBe(ADDRESS);
    expect(asked).toEqual([
      ["b1", { mode: "tab", expiresInMs: 300_000, guardrails: { mode: "readonly" } }],
      ["b1", { mode: "tab", expiresInMs: 300_000 }],
    ]);
  });

  test.each([
    { what: "the address itself", answer: ADDRESS },
    { what: "an object with the address", answer: { webViewUrl: ADDRESS } },
  ])("may answer with $what", async ({ answer }) => {
    expect(await connectorWith(() => answer).doors.nativeView("b1", "view")).toBe(ADDRESS);
  });

  test.each([
    {
      why: "refuses the call",
      answer: () => {
        throw new TypeError("The RPC receiver does not implement the method");
      },
    },
    { why: "answers something else", answer: () => ({ ok: true }) },
    { why: "answers an address that is not https", answer: () => ({ url: "javascript:alert(1)" }) },
  ])("is done without, and not asked for again, when the binding $why", async ({ answer }) => {
    const { doors, asked } = connectorWith(answer);
    expect(await doors.nativeView("b1", "view")).toBeUndefined();
    expect(await doors.nativeView("b1", "view")).toBeUndefined();
    expect(asked).toHaveLength(1);
  });
});

test("the platform's own live view is asked for again after a failure that says nothing about it", async () => {
  const { doors, asked } = connectorWith(() => {
    if (asked.length === 1) throw new Error("Network connection lost");
    return { url: "https://live.example/ui" };
  });
  expect(await doors.nativeView("b1", "view")).toBeUndefined();
  expect(await doors.nativeView("b1", "view")).toBe("https://live.example/ui");
});

test("a browser that does not answer is asked for its documents for ten seconds", async () => {
  vi.useFakeTimers();
  try {
    const signals: AbortSignal[] = [];
    const never = new Promise<Response>(() => undefined);
    const fetch = (_url: string, { signal }: { signal: AbortSignal }) => (signals.push(signal), never);
    // As much of a binding as a connector asks for.
    const binding = { fetch } as unknown as Fetcher;
    const views = {} as Parameters<typeof createSessionConnector>[0]["views"];
    const reading = createSessionConnector({ binding, views }).facts("b1", "list");
    const ended = reading.catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(11_000);
    expect(await Promise.race([ended, "late"])).toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  } finally {
    vi.useRealTimers();
  }
});
