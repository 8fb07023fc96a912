import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { ENDPOINTS } from "../../../src/core/account/api-key.ts";
import { Meter } from "../../../src/core/account/meter.ts";
import { createApp } from "../../../src/http/app.ts";
import { createKeyLedger } from "../../../src/platform/account/key-ledger-port.ts";
import { meteredDatabase } from "../../../src/platform/metering/metered-database.ts";
import { measuredObjects } from "../../../src/platform/metering/metered-objects.ts";
import { createApiKeyStore } from "../../../src/storage/account/api-keys.ts";
import { checkEndpoint } from "../../../src/services/account/check-scope.ts";
import { createBrowserSessionStore } from "../../../src/storage/sessions/browser-session-store.ts";
import { createJobStore } from "../../../src/storage/jobs/jobs.ts";
import { fixedClock } from "../../fakes/fixed-clock.ts";
import { ADMIN_KEY, FIRST_KEY, testDeps } from "../../fakes/services/test-deps.ts";

/** An isolate of its own: the app's cache is empty, the database and the gates are everybody's. */
function isolate(clock = fixedClock(Date.now())) {
  const meter = new Meter();
  const db = meteredDatabase(env.DB, meter);
  const keys = createApiKeyStore(db);
  const keyLedger = createKeyLedger(measuredObjects(env.KEY_LEDGER, meter), meter);
  const jobs = createJobStore(db);
  const sessionStore = createBrowserSessionStore(db);
  const app = createApp(() => testDeps({ clock, keys, keyLedger, meter, jobs, sessionStore }));
  const ask = (path: string, key: string, init: RequestInit = {}) =>
    app.request(path, { ...init, headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" } });
  return { ask, meter, clock };
}

async function makeKey(fields: Record<string, unknown> = {}): Promise<{ id: string; key: string }> {
  const body = JSON.stringify({ name: "a key", scopes: { admin: true }, ...fields });
  const response = await isolate().ask("/v2/team/keys", ADMIN_KEY, { method: "POST", body });
  expect(response.status).toBe(200);
  const { data } = await response.json<{ data: { id: string; key: string } }>();
  return data;
}

describe("keys in D1 and gates in Durable Objects", () => {
  test("let a created key in at once, and no longer than 30 seconds after it was revoked", async () => {
    const { id, key } = await makeKey();
    const clock = fixedClock(Date.now());
    const elsewhere = isolate(clock);
    expect((await elsewhere.ask("/v2/team/keys", key)).status).toBe(200);

    const revoked = await isolate().ask(`/v2/team/keys/${id}`, ADMIN_KEY, { method: "DELETE" });
    expect(revoked.status).toBe(200);
    clock.advance(30_000);
    expect((await elsewhere.ask("/v2/team/keys", key)).status).toBe(401);
    expect((await isolate().ask("/v2/team/keys", key)).status).toBe(401);
  });

  test("hold to the limit under 1,000 requests at once on one key, coming through two isolates", async () => {
    const { key } = await makeKey({ limits: { account: 200 }, scopes: { admin: false } });
    const isolates = [isolate(), isolate()];
    for (const { ask } of isolates) expect((await ask("/v2/no-such-route", key)).status).toBe(404);
    const responses = await Promise.all(
      Array.from({ length: 1000 }, (_, index) => isolates[index % 2]?.ask("/v2/team/keys", key)),
    );
    const statuses = responses.map((response) => response?.status);
    // The 403 is for want of the admin scope, which is looked at after the counting.
    expect(statuses.filter((status) => status === 403)).toHaveLength(200);
    expect(statuses.filter((status) => status === 429)).toHaveLength(800);
  }, 30_000);

  test("take one call to the key's object and, once the record is cached, no read of the database", async () => {
    const { ask, meter } = isolate();
    await ask("/v2/team/keys/none", FIRST_KEY, { method: "DELETE" });
    const before = { ...meter.counts };
    await ask("/v2/team/keys/none", FIRST_KEY, { method: "DELETE" });
    expect(meter.counts.durableObjectRequests - before.durableObjectRequests).toBe(1);
    expect(meter.counts.d1RowsRead).toBe(before.d1RowsRead);
  });

  test("make one row of a bootstrap key that two isolates see for the first time", async () => {
    await Promise.all([isolate().ask("/v2/team/keys", FIRST_KEY), isolate().ask("/v2/team/keys", FIRST_KEY)]);
    const { results } = await env.DB.prepare("SELECT key_hash FROM api_keys WHERE name = 'first key'").run();
    expect(results).toHaveLength(1);
  });

  test("read the rows of one team only, however many keys other teams have", async () => {
    const meter = new Meter();
    const keys = createApiKeyStore(meteredDatabase(env.DB, meter));
    const [teamId, otherTeamId] = [crypto.randomUUID(), crypto.randomUUID()];
    for (let index = 0; index < 2; index++) await makeKey({ teamId });
    for (let index = 0; index < 20; index++) await makeKey({ teamId: otherTeamId });
    const before = meter.counts.d1RowsRead;
    expect(await keys.listByTeam(teamId, { limit: 1000, endedAfterMs: 0 })).toHaveLength(2);
    // The sorted rows are read once more.
    expect(meter.counts.d1RowsRead - before).toBeLessThanOrEqual(6);
  });

  test("lose what a later version has stored and this one does not know, and never gain an endpoint by it", async () => {
    const keys = createApiKeyStore(env.DB);
    const stored = async (scopes: object, limits: object) => {
      const { id } = await makeKey();
      const texts = [JSON.stringify(scopes), JSON.stringify(limits)];
      await env.DB.prepare("UPDATE api_keys SET scopes = ?, limits = ? WHERE id = ?")
        .bind(...texts, id)
        .run();
      return (await keys.findById(id))?.key;
    };
    const limits = { scrape: 10, later: 5 };
    expect(await stored({ admin: true, endpoints: ["map", "later"] }, limits)).toMatchObject({
      scopes: { admin: true, endpoints: ["map"] },
      limits: { scrape: 10 },
    });
    const none = await stored({ endpoints: ["later"] }, {});
    expect(none?.scopes.endpoints).toEqual([]);
    expect(() => none && checkEndpoint(none, ...ENDPOINTS)).toThrow("restricted");
    await expect(stored({ endpoints: 1 }, {})).rejects.toMatchObject({ code: "STORED_STATE_UNREADABLE" });
  });

  test("keep no key's text in the database", async () => {
    const { key } = await makeKey();
    const { results } = await env.DB.prepare("SELECT * FROM api_keys").run();
    expect(JSON.stringify(results)).not.toContain(key.slice(3));
  });
});
