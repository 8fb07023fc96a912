import { describe, expect, test, vi } from "vitest";
import { Meter } from "../../../../src/core/account/meter.ts";
import { createGuardedFetch } from "../../../../src/platform/outbound/guarded-fetch.ts";
import { ConnectionSlots } from "../../../../src/platform/outbound/connection-slots.ts";
import { createOutboundGuard } from "../../../../src/platform/outbound/outbound-guard.ts";
import type { Resolution } from "../../../../src/ports/system.ts";

describe("where names are resolved beside loads", () => {
  /** The order of what happens; the resolver answers when the page was asked for. */
  function world(resolution: Resolution, options: { isBesideLoads: boolean } = { isBesideLoads: true }) {
    const order: string[] = [];
    const asked = Promise.withResolvers<void>();
    let isCancelled = false;
    const fetcher = (async (_, init) => {
      order.push(init?.method ?? "GET");
      asked.resolve();
      return new Response(new ReadableStream({ cancel: () => void (isCancelled = true) }));
    }) as typeof fetch;
    const resolver = {
      async resolve(): Promise<Resolution> {
        if (options.isBesideLoads)
          await Promise.race([asked.promise, new Promise((resolve) => setTimeout(resolve, 50))]);
        order.push("resolved");
        return resolution;
      },
    };
    const guard = createOutboundGuard({ allowPrivateHosts: [], resolver, ...options });
    const clock = { now: () => Date.now() };
    const http = createGuardedFetch({ guard, clock, meter: new Meter(), fetcher });
    const request = (url: string, method: "GET" | "POST" = "GET") =>
      http.request({ url, method, deadlineMs: Date.now() + 300, ownHosts: [] });
    return { request, order, isCancelled: () => isCancelled };
  }
  const HIDDEN: Resolution = { kind: "addresses", addresses: ["10.0.0.1"] };

  test("a page is asked for at once, and discarded when its address turns out to be private", async () => {
    const { request, order, isCancelled } = world(HIDDEN);
    expect(await request("https://a.example/")).toMatchObject({ kind: "failed", code: "SAFE_MODE_BLOCKED" });
    expect(order).toEqual(["GET", "resolved"]);
    await vi.waitFor(() => expect(isCancelled()).toBe(true));
  });

  test("a load that is refused before it has an answer ends, and gives back its slot", async () => {
    const slots = new ConnectionSlots(1);
    const signals: AbortSignal[] = [];
    const fetcher = ((_, init) =>
      new Promise((_resolve, reject) => {
        const { signal } = init ?? {};
        if (signal == null) return;
        signals.push(signal);
        signal.addEventListener("abort", () => reject(signal.reason as Error));
      })) as typeof fetch;
    const resolver = { resolve: async () => HIDDEN };
    const guard = createOutboundGuard({ allowPrivateHosts: [], resolver, isBesideLoads: true });
    const clock = { now: () => Date.now() };
    const http = createGuardedFetch({ guard, clock, meter: new Meter(), fetcher, slots });
    const outcome = await http.request({ url: "https://a.example/", deadlineMs: Date.now() + 60_000, ownHosts: [] });
    expect(outcome).toMatchObject({ kind: "failed", code: "SAFE_MODE_BLOCKED" });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(await Promise.race([slots.enter(), new Promise((resolve) => setTimeout(resolve, 200))])).toBeTypeOf(
      "function",
    );
  });

  test("what is sent waits for the check, and a private address in the text is never called", async () => {
    const { request, order } = world(HIDDEN);
    expect(await request("https://a.example/", "POST")).toMatchObject({ code: "SAFE_MODE_BLOCKED" });
    expect(await request("http://10.0.0.1/")).toMatchObject({ code: "SAFE_MODE_BLOCKED" });
    expect(order).toEqual(["resolved"]);
  });

  test("elsewhere a page waits for the check", async () => {
    const { request, order } = world(HIDDEN, { isBesideLoads: false });
    expect(await request("https://a.example/")).toMatchObject({ code: "SAFE_MODE_BLOCKED" });
    expect(order).toEqual(["resolved"]);
  });
});
