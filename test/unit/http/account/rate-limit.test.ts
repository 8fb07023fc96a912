import { describe, expect, test } from "vitest";
import { admit } from "../../../../src/http/account/rate-limit.ts";
import type { Intent } from "../../../../src/services/account/admit-request.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";
import { leasedLedgers } from "../../../fakes/services/leased-ledgers.ts";
import { memoryKeyLedger } from "../../../fakes/memory/memory-key-ledger.ts";
import { testApp } from "../../../fakes/services/test-app.ts";
import { ADMIN_KEY, testDeps } from "../../../fakes/services/test-deps.ts";

const NOON = Date.UTC(2026, 10, 21, 12);

/** The service with a route that does nothing but ask to be admitted, and a key for it. */
async function setUp(keyFields: Record<string, unknown>, intent: Partial<Intent> = {}) {
  const clock = fixedClock(NOON);
  const keyLedger = memoryKeyLedger(clock);
  const { app, ask, post } = testApp(testDeps({ clock, keyLedger }));
  app.get("/v2/work", async (c) => {
    await admit(c, { mode: "scrape", credits: 1, endpoint: "scrape", formats: ["markdown"], ...intent });
    // It is never written down, so that what it has taken stays taken.
    c.set("work", undefined);
    return c.json({ success: true });
  });
  const made = await post("/v2/team/keys", { name: "key", ...keyFields }, { key: ADMIN_KEY });
  const { data } = (await made.json()) as { data: { key: string } };
  keyLedger.calls = 0;
  return { work: () => ask("/v2/work", { key: data.key }), clock, keyLedger };
}

describe("the limit of a minute", () => {
  test("shows in the headers of every answer", async () => {
    const { work, keyLedger } = await setUp({ limits: { scrape: 2 } });
    const first = await work();
    expect(first.status).toBe(200);
    expect(Object.fromEntries(first.headers)).toMatchObject({
      "x-ratelimit-limit": "2",
      "x-ratelimit-remaining": "1",
      "x-ratelimit-reset": String((NOON + 60_000) / 1000),
    });
    expect(keyLedger.calls).toBe(1);
  });

  test("answers 429 with when to come back, and lets in again then", async () => {
    const { work, clock } = await setUp({ limits: { scrape: 2 } });
    await work();
    await work();
    clock.advance(17_500);
    const refused = await work();
    expect(refused.status).toBe(429);
    expect(Object.fromEntries(refused.headers)).toMatchObject({
      "retry-after": "43",
      "x-ratelimit-limit": "2",
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": String((NOON + 60_000) / 1000),
    });
    const body = (await refused.json()) as { success: boolean; error: string };
    expect(body.success).toBe(false);
    expect(body.error).toMatch(
      /^Rate limit exceeded\. .*2 consumed, 0 remaining.*retry after 43s.*2026-11-21T12:01:00\.000Z/,
    );
    clock.advance(43_000);
    expect((await work()).status).toBe(200);
  });

  test("is the deployment's when the key has none of its own for the mode", async () => {
    const { work } = await setUp({ limits: { map: 1 } });
    expect((await work()).headers.get("X-RateLimit-Limit")).toBe("1000");
  });
});

describe("a hot key, which isolates have leases of", () => {
  /** Two isolates with their own keys and leases in memory, and a key. */
  async function twoIsolates(keyFields: Record<string, unknown>) {
    const service = leasedLedgers(NOON);
    const shared = testDeps({ clock: { now: service.now } });
    const [one, other] = [0, 1].map(() => testApp({ ...shared, keyLedger: service.isolate().ledger }));
    if (one === undefined || other === undefined) throw new Error("There are two isolates");
    const made = await other.post("/v2/team/keys", { name: "key", ...keyFields }, { key: ADMIN_KEY });
    const { data } = (await made.json()) as { data: { id: string; key: string } };
    const read = () => one.ask("/v2/team/credit-usage", { key: data.key });
    return { service, other, read, id: data.id };
  }

  test("stops within 30 seconds after it was revoked", async () => {
    const { service, other, read, id } = await twoIsolates({});
    const statuses: number[] = [];
    for (let second = 0; second < 45; second++) {
      if (second === 15) await other.ask(`/v2/team/keys/${id}`, { key: ADMIN_KEY, method: "DELETE" });
      statuses.push((await read()).status);
      await service.advance(1_000);
    }
    expect(statuses.slice(0, 16).every((status) => status === 200)).toBe(true);
    expect(statuses.slice(15 + 30).every((status) => status === 401)).toBe(true);
    expect(statuses.at(-1)).toBe(401);
    // Admissions came from leases until then.
    const calls = service.takeCalls();
    expect(calls.filter((name) => name === "admit").length).toBeLessThan(15);
  });

  test("has headers that go down by one with each request, and start anew with the window", async () => {
    const { service, read } = await twoIsolates({ limits: { account: 500 } });
    const left: number[] = [];
    for (let request = 0; request < 130; request++) {
      const { headers } = await read();
      left.push(Number(headers.get("X-RateLimit-Remaining")));
      await service.advance(500);
    }
    expect(left.slice(0, 120)).toEqual(Array.from({ length: 120 }, (_, index) => 499 - index));
    expect(left.slice(120)).toEqual(Array.from({ length: 10 }, (_, index) => 499 - index));
  });
});

describe("credits", () => {
  test("that are out answer 402, in words that say what is missing", async () => {
    const { work } = await setUp({ monthlyCredits: 7 }, { credits: 5 });
    expect((await work()).status).toBe(200);
    const refused = await work();
    expect(refused.status).toBe(402);
    expect(refused.headers.get("X-RateLimit-Remaining")).toBe("999");
    expect(await refused.json()).toEqual({
      success: false,
      error: "Insufficient credits to perform this request: it needs 5, and 2 remain this month.",
    });
  });
});

describe("a key with scopes", () => {
  test.each([
    { scopes: { endpoints: ["map", "search"] }, error: "restricted to the following endpoints: map, search" },
    { scopes: { formats: ["html", "links"] }, error: "restricted to the following formats: html, links" },
  ])("is refused outside of them and nothing is counted: $error", async ({ scopes, error }) => {
    const { work, keyLedger } = await setUp({ scopes });
    const response = await work();
    expect(response.status).toBe(403);
    expect(((await response.json()) as { error: string }).error).toContain(error);
    expect(keyLedger.calls).toBe(0);
  });

  test("works within them", async () => {
    const { work } = await setUp({ scopes: { endpoints: ["scrape"], formats: ["markdown", "html"] } });
    expect((await work()).status).toBe(200);
  });

  test("may read results back, which is no endpoint of its own", async () => {
    const { work } = await setUp({ scopes: { endpoints: ["map"] } }, { endpoint: undefined, formats: undefined });
    expect((await work()).status).toBe(200);
  });
});
