import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { SessionPlan } from "../../../../src/core/sessions/browser-session.ts";
import type { SessionSettings } from "../../../../src/platform/sessions/stored-session.ts";
import { FakeChromium } from "../../../fakes/fake-chromium.ts";
import { MemoryBrowserPool } from "../../../fakes/memory/memory-browser-pool.ts";
import { isShort } from "../../../sample.ts";

vi.mock("cloudflare:workers", () => ({
  DurableObject: class {
    ctx: unknown;
    env: unknown;
    constructor(ctx: unknown, env: unknown) {
      this.ctx = ctx;
      this.env = env;
    }
  },
}));
// Running code needs isolates, which there are none of here.
vi.mock("../../../../src/platform/sessions/session-runs.ts", () => ({ SessionRuns: function SessionRuns() {} }));
const { BrowserSession } = await import("../../../../src/platform/sessions/browser-session.ts");

const SETTINGS: SessionSettings = {
  allowPrivateHosts: [],
  resolverUrl: "off",
  pool: {
    maxBrowsers: 20,
    contextsPerBrowser: 1,
    warm: 2,
    spare: 2,
    launchIntervalMs: 0,
    maxPages: 1,
    maxAgeMs: 500_000,
    idleCloseMs: 0,
    warmCloseMs: 300_000,
    leaseGraceMs: 3_700_000,
    keepAliveMs: 600_000,
  },
};

const pools: MemoryBrowserPool[] = [];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: 1_800_000_000_000 });
});
afterEach(() => {
  for (const pool of pools.splice(0)) pool.stop();
  vi.useRealTimers();
});

/** A world of sessions: browsers that load nothing, one pool, and what was billed and written. */
function world() {
  const chromium = new FakeChromium();
  const pool = new MemoryBrowserPool(chromium.binding);
  pools.push(pool);
  const billed = new Map<string, number>();
  const charged = new Map<string, number>();
  const slots = new Set<string>();
  const ended = new Set<string>();
  let failures = 0;
  let lostBills = 0;
  const gate = {
    chargeJob: async ({ jobId, settled }: { jobId: string; settled: number }) => {
      billed.set("key", (billed.get("key") ?? 0) + settled - (charged.get(jobId) ?? 0));
      charged.set(jobId, settled);
      if (lostBills-- > 0) throw new Error("The answer is lost");
      return 0;
    },
    releaseSlot: async (id: string) => void slots.delete(id),
    recordJob: async () => undefined,
  };
  const ledger = { ...gate, releaseSlot: async (id: string) => void charged.delete(id) };
  const statement = {
    bind: (...values: unknown[]) => ({
      run: async () => {
        if (failures > 0 && values.length === 5) {
          failures -= 1;
          throw new Error("The database is away");
        }
        if (values.length === 5) ended.add(String(values[4]));
        return { meta: { changes: 1, rows_written: 1 }, results: [] };
      },
    }),
  };
  const env = {
    BROWSER: chromium.binding,
    BROWSER_POOL: { getByName: () => pool },
    KEY_LEDGER: { getByName: (name: string) => (name === "key" ? ledger : gate) },
    DB: { prepare: () => statement },
  };
  const open = async (more: Partial<SessionPlan> = {}) => {
    const id = crypto.randomUUID();
    const store = new Map<string, unknown>();
    const state = {
      alarmMs: undefined as number | undefined,
      storage: {
        kv: {
          get: (key: string) => store.get(key),
          put: (key: string, value: unknown) => void store.set(key, structuredClone(value)),
          delete: (key: string) => store.delete(key),
          list: ({ prefix }: { prefix: string }) => [...store].filter(([key]) => key.startsWith(prefix)),
        },
        setAlarm: async (ms: number) => void (state.alarmMs = ms),
        getAlarm: async () => state.alarmMs ?? null,
        deleteAll: async () => store.clear(),
      },
      waitUntil: (work: Promise<unknown>) => void work.catch(() => undefined),
    };
    // As much of the platform as a session uses.
    const make = () => new BrowserSession(state as unknown as DurableObjectState, env as never);
    const session = make();
    slots.add(id);
    const plan: SessionPlan = {
      id,
      teamId: "team",
      keyId: "key",
      monthlyCredits: undefined,
      ttlMs: 600_000,
      activityTtlMs: 300_000,
      streamWebView: true,
      recordSession: false,
      ownHosts: [],
      ...more,
    };
    const outcome = await session.open(plan, SETTINGS);
    return { id, session, state, plan, outcome, evict: make };
  };
  return {
    chromium,
    pool,
    billed,
    slots,
    ended,
    open,
    failNext: (count: number) => void (failures = count),
    loseBills: (count: number) => void (lostBills = count),
  };
}

const tick = () => new Promise((resolve) => setTimeout(resolve, 2));
const later = (ms: number) => vi.setSystemTime(Date.now() + ms);

/** Lets the pool do what has become due, until nothing changes any more. */
async function settle({ pool }: ReturnType<typeof world>): Promise<void> {
  for (let round = 0; round < 5; round++) {
    pool.do({ kind: "ticked" });
    await tick();
  }
}

test("a session is opened once, and its repeated opening returns it until it has ended", async () => {
  const all = world();
  const { session, plan, outcome } = await all.open();
  const repeats = await Promise.all([session.open(plan, SETTINGS), session.open(plan, SETTINGS)]);
  expect(repeats).toEqual([outcome, outcome]);
  // Sessions take turns by team and key, as pages do.
  expect(all.pool.state.leases.map(({ owner }) => owner)).toEqual([{ teamId: "team", keyId: "key" }]);
  await session.close("deleted");
  expect(await session.open(plan, SETTINGS)).toEqual({ kind: "ended" });
});

test("a Worker of the release before asks a session by the former names", async () => {
  const { session } = await world().open();
  expect(await session.mayCall("https://a.example/")).toBe(await session.mayRequest("https://a.example/"));
  expect(await session.mayCall("http://127.0.0.1/")).toBe(false);
  // Both wait for a tab that never comes.
  const [former, present] = await Promise.all([session.admitted("no-tab"), session.whenIntercepted("no-tab")]);
  expect(former).toBe(present);
});

/** Waves of ten sessions. */
const WAVES = isShort() ? 10 : 100;

test(`of ${WAVES * 10} sessions that are deleted, left, killed or run out of time, none stays behind`, async () => {
  const all = world();
  const fates = ["deleted", "expired", "abandoned", "killed", "evicted"] as const;
  for (let wave = 0; wave < WAVES; wave++) {
    const opened = await Promise.all(Array.from({ length: 10 }, () => all.open()));
    for (const [index, { session, state, outcome, evict }] of opened.entries()) {
      expect(outcome.kind).toBe("opened");
      const fate = fates[(wave + index) % fates.length];
      if (fate === "deleted") {
        await session.close("deleted");
        await session.close("deleted");
      } else if (fate === "killed") {
        const [browser] = [...all.chromium.sessions.values()].slice(-1);
        browser?.end();
      } else {
        const holder = fate === "evicted" ? evict() : session;
        if (fate === "expired") session.touch();
        const alarmMs = state.alarmMs ?? 0;
        state.alarmMs = undefined;
        expect(alarmMs).toBeLessThanOrEqual(Date.now() + 10_000);
        if (fate === "evicted") await holder.alarm();
      }
    }
    later(700_000);
    for (const { session } of opened) await session.alarm();
    for (const { session } of opened) expect((await session.find())?.life.end).toBeDefined();
  }
  later(400_000);
  await settle(all);
  expect(all.chromium.sessions.size).toBe(0);
  expect(all.chromium.openSockets).toBe(0);
  expect(all.slots.size).toBe(0);
  expect(all.ended.size).toBe(WAVES * 10);
  expect(all.pool.state.browsers).toEqual([]);
  expect(all.pool.state.leases).toEqual([]);
  expect(all.chromium.mostSessions).toBeLessThanOrEqual(20);
});

/** Sends an event to all that are connected to a browser. */
function tellAll({ chromium }: ReturnType<typeof world>, method: string, params: object): void {
  for (const browser of chromium.sessions.values()) browser.tell(method, params);
}

const ALLOWED = "https://93.184.215.14/";

test("after a restart of its object, a session whose token is used has a guard before its alarm comes", async () => {
  const all = world();
  const { outcome, evict } = await all.open();
  if (outcome.kind !== "opened") throw new Error(outcome.kind);
  const before = all.chromium.openSockets;
  const access = await evict().authorize(outcome.view.tokens?.cdp ?? "", "cdp");
  expect(access.kind).toBe("granted");
  await expect.poll(() => all.chromium.openSockets).toBe(before + 1);
});

test("after a restart of its object, the requests and tabs of drivers that stay connected are checked", async () => {
  const all = world();
  const { session, evict } = await all.open();
  expect(await session.mayRequest(ALLOWED)).toBe(true);
  expect(await evict().mayRequest(ALLOWED)).toBe(true);
  expect(await evict().mayRequest("http://127.0.0.1/")).toBe(false);
  const asking = evict().whenIntercepted("target-0");
  await tick();
  const targetInfo = { type: "page", targetId: "target-0", url: "about:blank" };
  const attached = { sessionId: "page-1", targetInfo, waitingForDebugger: true };
  const telling = setInterval(() => tellAll(all, "Target.attachedToTarget", attached), 5);
  expect(await asking.finally(() => clearInterval(telling))).toBe(true);
});

test("a driver that asks after a restart of the object, when the session's time is over, is refused", async () => {
  const all = world();
  const { evict } = await all.open();
  later(700_000);
  const restarted = evict();
  expect(await restarted.mayRequest(ALLOWED)).toBe(false);
  expect((await restarted.find())?.life.end?.reason).toBe("idle");
});

test("an alarm that the runtime has lost in a crash is set again by the first caller, and a known one stays", async () => {
  const { state, evict, session } = await world().open();
  const alarmMs = state.alarmMs ?? 0;
  expect(alarmMs).toBe(Date.now() + 10_000);
  later(2_000);
  await evict().find();
  expect(state.alarmMs).toBe(alarmMs);
  later(60_000);
  await evict().find();
  expect(state.alarmMs).toBe(Date.now() + 10_000);
  state.alarmMs = undefined;
  await evict().find();
  expect(state.alarmMs).toBe(Date.now() + 10_000);
  await session.close("deleted");
  const endedMs = Date.now();
  state.alarmMs = undefined;
  await evict().find();
  expect(state.alarmMs).toBe(endedMs + 24 * 3_600_000);
});

test("the first tab and the origins of a session's documents outlive its object, and its end deletes the origins", async () => {
  const all = world();
  const { session, state, evict } = await all.open();
  const visit = (url: string) => {
    const request = { url, headers: {} };
    tellAll(all, "Fetch.requestPaused", { requestId: url, request, resourceType: "Document" });
  };
  visit("https://a.example/one");
  visit("https://b.example/");
  visit("https://a.example/two");
  visit(`https://${"a".repeat(100_000)}.example/`);
  const origins = ["https://a.example", "https://b.example"];
  await expect.poll(async () => (await session.visits()).origins).toEqual(origins);
  expect((await session.visits()).firstTabId).toBe("target-0");

  const restarted = evict();
  const stored = { origins, firstTabId: "target-0" };
  await expect.poll(() => restarted.visits(), { timeout: 5_000 }).toEqual(stored);
  await restarted.alarm();
  expect(await restarted.visits()).toEqual(stored);
  visit("https://c.example/");
  await expect.poll(async () => (await restarted.visits()).origins[0]).toBe("https://c.example");
  expect((await evict().visits()).origins).toHaveLength(3);
  await restarted.close("deleted");
  expect(state.storage.kv.get("visited")).toBeUndefined();
});

test("the end of a session deletes the files and the state of its shell", async () => {
  const { session, state } = await world().open();
  state.storage.kv.put("workspace:file:/tmp/page.html", { path: "/tmp/page.html" });
  expect(state.storage.kv.list({ prefix: "workspace:" })).toHaveLength(2);
  await session.close("deleted");
  expect(state.storage.kv.list({ prefix: "workspace:" })).toEqual([]);
  expect((await session.find())?.life.end?.reason).toBe("deleted");
});

test("what cannot be settled now is settled by the alarm, and the bill is paid once", async () => {
  const all = world();
  const { id, session, state } = await all.open();
  later(120_000);
  all.failNext(2);
  await session.close("deleted");
  expect(all.ended.has(id)).toBe(false);
  expect(state.alarmMs).toBe(Date.now() + 5_000);
  await session.alarm();
  expect(all.ended.has(id)).toBe(false);
  await session.alarm();
  expect(all.ended.has(id)).toBe(true);
  expect(all.billed.get("key")).toBe(2);
});

test.each([2, 20])(
  "a bill whose answer is lost %i times is sent again, is paid once, and precedes the row",
  async (times) => {
    const all = world();
    const { id, session, state } = await all.open();
    later(120_000);
    all.loseBills(times);
    await session.close("deleted");
    expect(state.alarmMs).toBe(Date.now() + 5_000);
    expect([all.ended.has(id), all.slots.has(id)]).toEqual([false, false]);
    for (let alarms = 0; alarms < times; alarms++) await session.alarm();
    expect(all.ended.has(id)).toBe(true);
    expect(all.billed.get("key")).toBe(2);
  },
);

test("is forgotten a day after its end", async () => {
  const all = world();
  const { session } = await all.open();
  await session.close("deleted");
  later(25 * 3_600_000);
  await session.alarm();
  expect(await session.find()).toBeUndefined();
});

test("a browser that stood ready and is dead is replaced", async () => {
  const all = world();
  const first = await all.open();
  await tick();
  await first.session.close("deleted");
  await tick();
  for (const browser of all.chromium.sessions.values()) browser.end();
  const second = await all.open();
  expect(second.outcome.kind).toBe("opened");
  await second.session.close("deleted");
});
