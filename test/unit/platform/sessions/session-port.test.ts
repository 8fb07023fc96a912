import { describe, expect, test } from "vitest";
import type { PoolSettings } from "../../../../src/core/sessions/browser-pool.ts";
import type { SessionPlan } from "../../../../src/core/sessions/browser-session.ts";
import type { BrowserSession } from "../../../../src/platform/sessions/browser-session.ts";
import { createBrowserSessions } from "../../../../src/platform/sessions/session-port.ts";
import { DrivenPool } from "../../../fakes/driven-pool.ts";

const SETTINGS = { allowPrivateHosts: [], resolverUrl: "off", maxSessions: 4, warmBrowsers: 1, launchesPerMinute: 60 };

/** The port, with an object of the given methods behind it. */
function portTo(object: object) {
  // The port uses no more of a namespace than this.
  const namespace = { getByName: () => object } as unknown as DurableObjectNamespace<BrowserSession>;
  return createBrowserSessions({ namespace, settings: SETTINGS });
}

describe("while a deployment rolls out", () => {
  /** As workerd answers calls of methods that an object has not. */
  const missing = (name: string) => async () => {
    throw new TypeError(`The RPC receiver does not implement the method "${name}".`);
  };

  test("an object of the release before is asked by the former names", async () => {
    const asked: unknown[] = [];
    const sessions = portTo({
      whenIntercepted: missing("whenIntercepted"),
      mayRequest: missing("mayRequest"),
      admitted: async (...values: unknown[]) => asked.push(values) > 0,
      mayCall: async (...values: unknown[]) => asked.push(values) > 0,
    });
    expect(await sessions.whenIntercepted("id", "tab", "https://a.example/")).toBe(true);
    expect(await sessions.mayRequest("id", "https://a.example/")).toBe(true);
    expect(asked).toEqual([["tab", "https://a.example/"], ["https://a.example/"]]);
  });

  test("another failure is not repeated by the former names", async () => {
    const fail = async () => {
      throw new Error("the object has moved");
    };
    const never = () => expect.unreachable();
    const sessions = portTo({ whenIntercepted: fail, mayRequest: fail, admitted: never, mayCall: never });
    const moved = { code: "SERVICE_UNAVAILABLE", cause: expect.objectContaining({ message: "the object has moved" }) };
    await expect(sessions.whenIntercepted("id", "tab")).rejects.toMatchObject(moved);
    await expect(sessions.mayRequest("id", "https://a.example/")).rejects.toMatchObject(moved);
  });

  test("an object that was reset is asked again", async () => {
    let asked = 0;
    const find = async () => {
      if (++asked === 1) throw new Error("Durable Object reset because its code was updated");
      return undefined;
    };
    expect(await portTo({ find }).find("id")).toBeUndefined();
    expect(asked).toBe(2);
  });
});

/** The settings that sessions give their pool. */
async function poolSettings(): Promise<PoolSettings & { keepAliveMs: number }> {
  let given: (PoolSettings & { keepAliveMs: number }) | undefined;
  const sessions = portTo({
    open: async (_plan: unknown, { pool }: { pool: typeof given }) => {
      given = pool;
      return { kind: "ended" };
    },
  });
  await sessions.open({ id: "id" } as SessionPlan);
  return given ?? expect.unreachable();
}

test("a spare browser is closed 60 s after it was started, before the simulator forgets it, and used until then", async () => {
  const settings = await poolSettings();
  const pool = new DrivenPool(settings);
  pool.ask("first");
  pool.launched();
  pool.after(settings.spareDelayMs ?? 0);
  pool.launched();
  expect(pool.after(59_000)).toEqual([]);
  expect(pool.ask("second")).toContainEqual(expect.objectContaining({ kind: "grant", sessionId: "browser-2" }));
  pool.after(settings.spareDelayMs ?? 0);
  pool.launched();
  expect(pool.after(59_999)).toEqual([]);
  expect(pool.after(1)).toEqual([{ kind: "close", sessionId: "browser-3" }]);
  // Browsers with a session stay as long as a session may.
  pool.do({ kind: "closed", sessionId: "browser-3" });
  expect(pool.after(3_600_000 - 125_000)).toEqual([]);
  expect(settings.keepAliveMs).toBeGreaterThan(settings.warmCloseMs);
});
