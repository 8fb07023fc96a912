import { DEFAULT_TEAM_ID } from "../../../../../src/services/account/bootstrap-keys.ts";
import { createBrowserSessionStore } from "../../../../../src/storage/sessions/browser-session-store.ts";
import { createJobStore } from "../../../../../src/storage/jobs/jobs.ts";
import { describe, expect, test } from "vitest";
import { fixedClock } from "../../../../fakes/fixed-clock.ts";
import { testApp } from "../../../../fakes/services/test-app.ts";
import { nodeD1 } from "../../../../fakes/memory/node-d1.ts";
import { ADMIN_KEY, FIRST_KEY, testDeps } from "../../../../fakes/services/test-deps.ts";

const KEYS = "/v2/team/keys";
const TEAM = "0192d1c6-6f00-7000-8000-000000000001";

interface KeyInfo {
  id: string;
  key?: string;
  teamId: string;
  name: string;
  revokedAt: string | null;
}

function setUp() {
  const clock = fixedClock(Date.UTC(2026, 10, 21));
  const cancelled: string[] = [];
  const closed: string[] = [];
  const cancel = async (id: string) => (cancelled.push(id), "scraping" as const);
  const d1 = nodeD1();
  const view = (id: string) => ({ life: { id, teamId: DEFAULT_TEAM_ID, end: undefined, recordSession: false } });
  const deps = testDeps({
    clock,
    jobs: createJobStore(d1),
    sessionStore: createBrowserSessionStore(d1),
    frontiers: { cancel, progress: async () => ({ inFlight: 3 }) } as never,
    stepJobs: { cancel, progress: async () => ({ creditsHeld: 0 }) } as never,
    browserSessions: {
      find: async (id: string) => view(id),
      claimEnd: async () => true,
      close: async (id: string) => (closed.push(id), { durationMs: 1, credits: 2, wasEnded: false }),
    } as never,
  });
  const service = testApp(deps);
  const create = (body: unknown, key = ADMIN_KEY) => service.post(KEYS, body, { key });
  return {
    ...service,
    clock,
    cancelled,
    closed,
    create,
    created: async (body: Record<string, unknown> = {}) => {
      const response = await create({ name: "a key", ...body });
      expect(response.status).toBe(200);
      return ((await response.json()) as { data: KeyInfo & { key: string } }).data;
    },
    list: async () => {
      const response = await service.ask(KEYS, { key: ADMIN_KEY });
      return ((await response.json()) as { data: KeyInfo[] }).data;
    },
    revoke: (id: string, key = ADMIN_KEY) => service.ask(`${KEYS}/${id}`, { key, method: "DELETE" }),
  };
}

describe("creating a key", () => {
  test("answers the key with everything that was asked for, its team in lower case", async () => {
    const { create } = setUp();
    const response = await create({
      name: " nightly ",
      teamId: TEAM.toUpperCase(),
      expiresAt: "2027-01-01T00:00:00+01:00",
      scopes: { endpoints: ["scrape"], formats: ["markdown"] },
      limits: { scrape: 30 },
      monthlyCredits: 500,
      maxConcurrency: 4,
    });
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    const { success, data } = (await response.json()) as { success: boolean; data: KeyInfo & { key: string } };
    expect(success).toBe(true);
    expect(data).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      key: expect.stringMatching(/^fc-[0-9a-f]{32}$/),
      prefix: data.key.slice(0, 9),
      teamId: TEAM,
      name: "nightly",
      scopes: { admin: false, endpoints: ["scrape"], formats: ["markdown"] },
      limits: { scrape: 30 },
      monthlyCredits: 500,
      maxConcurrency: 4,
      createdAt: "2026-11-21T00:00:00.000Z",
      expiresAt: "2026-12-31T23:00:00.000Z",
      revokedAt: null,
    });
  });

  test("makes one that works, in the admin's team, without its rights", async () => {
    const { created, ask, deps } = setUp();
    const { key, teamId } = await created();
    const adminRow = (await deps.keys.listAll()).find(({ name }) => name === "admin key");
    expect(teamId).toBe(adminRow?.teamId);
    expect((await ask("/v2/no-such-route", { key })).status).toBe(404);
    expect((await ask(KEYS, { key })).status).toBe(403);
  });

  test("makes another admin when asked to", async () => {
    const { created, ask } = setUp();
    const { key } = await created({ scopes: { admin: true } });
    expect((await ask(KEYS, { key })).status).toBe(200);
  });

  test("makes one that stops when it expires", async () => {
    const { created, ask, clock } = setUp();
    const { key } = await created({ expiresAt: "2026-11-21T00:00:10Z" });
    clock.advance(9_999);
    expect((await ask("/v2/no-such-route", { key })).status).toBe(404);
    clock.advance(1);
    expect((await ask("/v2/no-such-route", { key })).status).toBe(401);
  });

  test.each([
    { why: "no name", body: {} },
    { why: "a blank name", body: { name: "  " } },
    { why: "a name that is too long", body: { name: "x".repeat(101) } },
    { why: "an unknown field", body: { name: "a", admin: true } },
    { why: "an unknown scope", body: { name: "a", scopes: { root: true } } },
    { why: "an unknown endpoint", body: { name: "a", scopes: { endpoints: ["teleport"] } } },
    { why: "no endpoint at all", body: { name: "a", scopes: { endpoints: [] } } },
    { why: "an unknown mode", body: { name: "a", limits: { teleport: 1 } } },
    { why: "a limit of nothing", body: { name: "a", limits: { scrape: 0 } } },
    { why: "a budget below nothing", body: { name: "a", monthlyCredits: -1 } },
    { why: "half a credit", body: { name: "a", monthlyCredits: 0.5 } },
    { why: "a team that is no UUID", body: { name: "a", teamId: "mine" } },
    { why: "a time that is none", body: { name: "a", expiresAt: "tomorrow" } },
    { why: "a time without a zone", body: { name: "a", expiresAt: "2027-01-01T00:00:00" } },
    { why: "a time that has passed", body: { name: "a", expiresAt: "2026-11-20T23:59:59Z" } },
  ])("refuses $why", async ({ body }) => {
    const { create, list } = setUp();
    const response = await create(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ success: false, code: "BAD_REQUEST" });
    expect((await list()).map(({ name }) => name)).toEqual(["admin key"]);
  });
});

describe("listing keys", () => {
  test("shows every key, and no key's text", async () => {
    const { created, clock, ask } = setUp();
    const first = await created({ name: "one" });
    clock.advance(1);
    const second = await created({ name: "two" });
    const text = await (await ask(KEYS, { key: ADMIN_KEY })).text();
    const { data } = JSON.parse(text) as { data: KeyInfo[] };
    expect(data.map(({ name }) => name).slice(0, 1)).toEqual(["two"]);
    expect(data.map(({ name }) => name).toSorted()).toEqual(["admin key", "one", "two"]);
    expect(text).not.toContain(first.key.slice(9));
    expect(text).not.toContain(second.key.slice(9));
    expect(text).not.toContain(ADMIN_KEY);
  });
});

describe("revoking a key", () => {
  test("ends it within 30 seconds, and the list says when", async () => {
    const { created, revoke, ask, list, clock } = setUp();
    const { id, key } = await created();
    expect((await ask("/v2/no-such-route", { key })).status).toBe(404);
    const response = await revoke(id);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ success: true, stopped: { jobs: 0, pagesInFlight: 0, sessions: 0 } });
    clock.advance(30_000);
    expect((await ask("/v2/no-such-route", { key })).status).toBe(401);
    expect((await list()).find((entry) => entry.id === id)?.revokedAt).toBe("2026-11-21T00:00:00.000Z");
  });

  test("ends its jobs of all kinds and its sessions, and nothing of other keys", async () => {
    const { created, revoke, deps, clock, cancelled, closed } = setUp();
    const [own, other] = [await created(), await created()];
    const later = clock.now() + 60_000;
    const job = { teamId: DEFAULT_TEAM_ID, apiVersion: "v2" as const, target: "https://a.example/", optionsJson: "{}", createdAtMs: 0, endedAtMs: undefined, expiresAtMs: later }; // prettier-ignore
    for (const kind of ["crawl", "batch_scrape", "agent", "extract", "deep_research", "llmstxt"] as const) {
      for (const { id } of [own, other]) {
        await deps.jobs.insert({ ...job, id: `${kind} of ${id}`, keyId: id, kind, status: "scraping" });
      }
    }
    await deps.jobs.insert({ ...job, id: "ended", keyId: own.id, kind: "crawl", status: "completed" });
    const session = { teamId: DEFAULT_TEAM_ID, status: "active" as const, scrapeId: undefined, streamWebView: true, createdAtMs: clock.now(), lastActivityMs: clock.now(), expiresAtMs: later, end: undefined }; // prettier-ignore
    const ids = [crypto.randomUUID(), crypto.randomUUID()] as const;
    await deps.sessionStore.insert({ ...session, id: ids[0], keyId: own.id });
    await deps.sessionStore.insert({ ...session, id: ids[1], keyId: other.id });
    const answer = await (await revoke(own.id)).json();
    expect(answer).toEqual({ success: true, stopped: { jobs: 6, pagesInFlight: 6, sessions: 1 } });
    expect(cancelled.toSorted()).toEqual(
      ["agent", "batch_scrape", "crawl", "deep_research", "extract", "llmstxt"].map((kind) => `${kind} of ${own.id}`),
    );
    expect(closed).toEqual([ids[0]]);
    expect(await deps.jobs.find(`crawl of ${own.id}`)).toMatchObject({ status: "cancelled" });
    expect(await deps.jobs.find(`crawl of ${other.id}`)).toMatchObject({ status: "scraping" });
  });

  test("ends a session that is older than the newest ones of the team", async () => {
    const { created, revoke, deps, clock, closed } = setUp();
    const [own, other] = [await created(), await created()];
    const nowMs = clock.now();
    const session = { teamId: DEFAULT_TEAM_ID, status: "active" as const, scrapeId: undefined, streamWebView: true, lastActivityMs: nowMs, expiresAtMs: nowMs + 60_000, end: undefined }; // prettier-ignore
    const id = crypto.randomUUID();
    await deps.sessionStore.insert({ ...session, id, keyId: own.id, createdAtMs: nowMs - 10_000 });
    for (let number = 0; number < 501; number++)
      await deps.sessionStore.insert({ ...session, id: crypto.randomUUID(), keyId: other.id, createdAtMs: nowMs });
    const answer = await (await revoke(own.id)).json();
    expect(answer).toMatchObject({ stopped: { sessions: 1 } });
    expect(closed).toEqual([id]);
  });

  test("twice is no error", async () => {
    const { created, revoke } = setUp();
    const { id } = await created();
    await revoke(id);
    expect((await revoke(id)).status).toBe(200);
  });

  test.each([TEAM, "junk"])("answers 404 for an id that no key has: %s", async (id) => {
    const { revoke } = setUp();
    const response = await revoke(id);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ success: false, error: "API key not found" });
  });
});

test("managing keys is for the admin scope alone", async () => {
  const { create, created, ask, revoke, list } = setUp();
  const { id } = await created();
  for (const response of [await create({ name: "mine" }, FIRST_KEY), await ask(KEYS), await revoke(id, FIRST_KEY)]) {
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ success: false, error: expect.stringContaining("admin scope") });
  }
  const keys = await list();
  expect(keys.find((key) => key.id === id)?.revokedAt).toBeNull();
  expect(keys.map(({ name }) => name)).not.toContain("mine");
});

test("the routes are in the OpenAPI document, with the limits by mode and what can fail", async () => {
  const { app } = setUp();
  const document = (await (await app.request("/openapi.json")).json()) as {
    paths: Record<string, Record<string, { responses: Record<string, unknown>; security: unknown }>>;
    components: { schemas: Record<string, { properties: Record<string, unknown> }> };
  };
  expect(Object.keys(document.paths[KEYS] ?? {}).toSorted()).toEqual(["get", "post"]);
  expect(Object.keys(document.paths[`${KEYS}/{id}`]?.["delete"]?.responses ?? {})).toEqual(
    expect.arrayContaining(["200", "401", "402", "403", "404", "429", "500"]),
  );
  expect(document.paths[KEYS]?.["post"]?.security).toEqual([{ bearer: [] }]);
  expect(document.components.schemas["CreateKey"]?.properties["limits"]).toMatchObject({ type: "object" });
});
