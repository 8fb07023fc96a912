import { expect, test } from "vitest";
import type { SessionPlan } from "../../../../src/core/sessions/browser-session.ts";
import { openBrowser } from "../../../../src/services/sessions/open-browser.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";
import { memoryApiKeys } from "../../../fakes/memory/memory-api-keys.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

const NOW_MS = 10_000;
const KEY = {
  id: "key",
  teamId: "team",
  name: "key",
  prefix: "fc-123456",
  scopes: { admin: false },
  limits: {},
  monthlyCredits: undefined,
  maxConcurrency: undefined,
  createdAtMs: 0,
  expiresAtMs: undefined,
  revokedAtMs: undefined,
};
const REQUESTED = { ttlMs: 600_000, activityTtlMs: 60_000, streamWebView: false, recordSession: false };

/** A deployment that opens every session. `during` happens while the browser starts. */
function deployment(during: () => Promise<unknown> = async () => undefined) {
  const keys = memoryApiKeys();
  const [plans, closed]: [SessionPlan[], string[]] = [[], []];
  const deps = testDeps({
    clock: fixedClock(NOW_MS),
    keys,
    browserSessions: {
      open: async (plan: SessionPlan) => {
        plans.push(plan);
        await during();
        return { kind: "opened", view: { life: { ...plan }, tokens: undefined } };
      },
      close: async (id: string) => closed.push(id),
    } as never,
  });
  return { deps, keys, plans, closed };
}

test("a session whose key is revoked while its browser starts is closed", async () => {
  const { deps, keys, plans, closed } = deployment(() => keys.revoke(KEY.id, NOW_MS));
  await keys.insert(KEY, "hash");
  // The isolate has the key as it was before.
  await expect(openBrowser(deps, { key: KEY }, REQUESTED)).rejects.toMatchObject({ code: "TOKEN_INVALID" });
  expect(plans).toHaveLength(1);
  expect(closed).toEqual([plans[0]?.id]);
});

test("a session of a key that stays is opened, and ends with the key at the latest", async () => {
  for (const [expiresAtMs, ttlMs] of [
    [undefined, 600_000],
    [NOW_MS + 5_000, 5_000],
    [NOW_MS + 900_000, 600_000],
  ] as const) {
    const { deps, keys, plans, closed } = deployment();
    const key = { ...KEY, expiresAtMs };
    await keys.insert(key, "hash");
    expect((await openBrowser(deps, { key }, REQUESTED)).kind).toBe("opened");
    expect(plans.map((plan) => plan.ttlMs)).toEqual([ttlMs]);
    expect(closed).toEqual([]);
  }
});

test("a session whose opening fails is closed before its slot is released", async () => {
  const { deps, keys, plans, closed } = deployment(() => Promise.reject(new Error("Network connection lost")));
  await keys.insert(KEY, "hash");
  const release = deps.keyLedger.releaseSlot.bind(deps.keyLedger);
  const closedAtRelease: number[] = [];
  deps.keyLedger.releaseSlot = async (...slot) => (closedAtRelease.push(closed.length), await release(...slot));
  await expect(openBrowser(deps, { key: KEY }, REQUESTED)).rejects.toMatchObject({ code: "BROWSER_SESSION_FAILED" });
  expect(closed).toEqual([plans[0]?.id]);
  expect(closedAtRelease).toEqual([1]);
});
