import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, inject, test } from "vitest";
import type { AcquireRequest } from "../../../src/platform/browser/browser-pool.ts";
import { within } from "../../../src/platform/browser/abortable.ts";
import { CdpConnection } from "../../../src/platform/browser/cdp-connection.ts";
import { closeSession, launchSession } from "../../../src/platform/browser/browser-sessions.ts";
import type { BrowserRequest } from "../../../src/ports/browser.ts";
import { browserBinding, browserRequest, liveSessions, testBrowser } from "./browser-helpers.ts";
import { given } from "../../fakes/given.ts";

const site = inject("siteUrl");
/** `POOL_LOADS=200` for the full proof. */
const LOADS = inject("poolLoads");
/** Every so many of them one is slow or crashes: among 21, one of each of these kinds, beside one to three of each other kind. */
const RARE_INTERVAL = 7;
const pool = () => env.BROWSER_POOL.getByName("pool");

const SETTINGS: AcquireRequest["settings"] = {
  maxBrowsers: 1,
  contextsPerBrowser: 4,
  warm: 1,
  launchIntervalMs: 100,
  maxPages: 80,
  maxAgeMs: 600_000,
  idleCloseMs: 20_000,
  warmCloseMs: 60_000,
  leaseGraceMs: 0,
  keepAliveMs: 60_000,
};

async function acquire(
  more: Pick<AcquireRequest, "owner"> & { deadlineInMs?: number; settings?: Partial<AcquireRequest["settings"]> } = {},
) {
  const { deadlineInMs = 30_000, settings = {}, owner } = more;
  const deadlineMs = Date.now() + deadlineInMs;
  const grant = await pool().acquire({ deadlineMs, owner, settings: { ...SETTINGS, ...settings } });
  if (grant.kind !== "granted") throw new Error(`refused: ${grant.reason}`);
  return grant;
}

/** Contexts beside the browser's own, as the browser counts them. */
async function contextsOf(sessionId: string): Promise<string[]> {
  const connection = await CdpConnection.open(browserBinding(), sessionId);
  try {
    return (await connection.send("Target.getBrowserContexts")).browserContextIds;
  } finally {
    connection.close();
  }
}

/** Pages that belong to contexts beside the browser's own. */
async function pagesOf(sessionId: string): Promise<number> {
  const connection = await CdpConnection.open(browserBinding(), sessionId);
  try {
    const [{ targetInfos }, { browserContextIds }] = await Promise.all([
      connection.send("Target.getTargets"),
      connection.send("Target.getBrowserContexts"),
    ]);
    return targetInfos.filter((target) => browserContextIds.includes(target.browserContextId ?? "")).length;
  } finally {
    connection.close();
  }
}

/** Ends the process behind every page with `part` in its address, as a bug of the browser would. */
async function crashPages(sessionId: string, part: string): Promise<void> {
  const connection = await CdpConnection.open(browserBinding(), sessionId).catch(() => undefined);
  if (connection === undefined) return;
  try {
    const { targetInfos } = await connection.send("Target.getTargets");
    for (const { targetId } of targetInfos.filter(({ type, url }) => type === "page" && url.includes(part))) {
      const attached = await connection.send("Target.attachToTarget", { targetId, flatten: true });
      connection.send("Page.crash", undefined, attached.sessionId).catch(() => undefined);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  } catch {
    // The browser ended meanwhile.
  } finally {
    connection.close();
  }
}

/** Waits until something holds that takes a moment: processes end and alarms fire by themselves. */
async function eventually(check: () => Promise<void>): Promise<void> {
  const endMs = Date.now() + 15_000;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > endMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

/** The pool at rest: every browser closed. Tests that only take and give back places leave theirs to the next one. */
let isShared = false;
afterEach(async () => {
  if (isShared) return void (isShared = false);
  const { browsers, leases, waiters } = await pool().status();
  if (browsers.length + leases + waiters === 0) return;
  const grant = await acquire({ settings: { maxPages: 1 } });
  await pool().release(grant.leaseId, "ok");
  await eventually(async () => expect(await pool().status()).toEqual({ browsers: [], leases: 0, waiters: 0 }));
});

test("a place that is given back goes to another team, however many pages of one team have waited longer", async () => {
  isShared = true;
  const settings = { contextsPerBrowser: 1 };
  const served: string[] = [];
  const take = async (teamId: string): Promise<void> => {
    const { leaseId } = await acquire({ owner: { teamId, keyId: teamId }, settings });
    served.push(teamId);
    await pool().release(leaseId, "ok");
  };
  const { leaseId } = await acquire({ owner: { teamId: "loud", keyId: "loud" }, settings });
  const waiting = Array.from({ length: 6 }, () => take("loud"));
  await eventually(async () => expect(await pool().status()).toMatchObject({ waiters: 6 }));
  waiting.push(take("quiet"));
  await eventually(async () => expect(await pool().status()).toMatchObject({ waiters: 7 }));
  await pool().release(leaseId, "ok");
  await Promise.all(waiting);
  expect(served).toHaveLength(7);
  expect(served[0]).toBe("quiet");
});

describe("the browser pool", () => {
  test("gives several loads places in one browser, and the next one waits for a place", async () => {
    isShared = true;
    const grants = await Promise.all(Array.from({ length: 4 }, () => acquire()));
    expect(new Set(grants.map(({ sessionId }) => sessionId)).size).toBe(1);
    const waiting = acquire();
    expect((await pool().status()).waiters).toBe(1);
    await pool().release(given(grants[0]).leaseId, "ok");
    expect((await waiting).sessionId).toBe(given(grants[0]).sessionId);
    await Promise.all([...grants.slice(1), await waiting].map(({ leaseId }) => pool().release(leaseId, "ok")));
  });

  test("refuses a load that found no place by its deadline", async () => {
    isShared = true;
    const grant = await acquire({ settings: { contextsPerBrowser: 1 } });
    const settings = { ...SETTINGS, contextsPerBrowser: 1 };
    expect(await pool().acquire({ deadlineMs: Date.now() + 500, settings })).toEqual({
      kind: "refused",
      reason: "deadline",
    });
    await pool().release(grant.leaseId, "ok");
  });

  test("knows its browsers after it was evicted, and closes them", async () => {
    const { leaseId, sessionId } = await acquire();
    await evictDurableObject(pool());
    expect((await pool().status()).browsers).toEqual([sessionId]);
    await pool().release(leaseId, "gone");
    await eventually(async () => expect(await liveSessions()).not.toContain(sessionId));
  });

  test("takes back what a caller that vanished had opened", async () => {
    const first = await acquire();
    const { leaseId, sessionId } = await acquire({ deadlineInMs: 1_500 });
    await pool().release(first.leaseId, "ok");
    const connection = await CdpConnection.open(browserBinding(), sessionId);
    const { browserContextId } = await connection.send("Target.createBrowserContext");
    await pool().bind(leaseId, browserContextId);
    expect(await contextsOf(sessionId)).toContain(browserContextId);
    await new Promise((resolve) => setTimeout(resolve, 1_600));
    await runDurableObjectAlarm(pool());
    await eventually(async () => expect((await pool().status()).leases).toBe(0));
    await eventually(async () => expect(await liveSessions()).not.toContain(sessionId));
    connection.close();
  });

  test("leaves browsers alone that it did not start", async () => {
    const foreign = await launchSession(browserBinding(), 60_000);
    try {
      const grant = await acquire();
      expect(grant.sessionId).not.toBe(foreign);
      await pool().release(grant.leaseId, "gone");
      await eventually(async () => expect((await pool().status()).browsers).toEqual([]));
      expect(await liveSessions()).toContain(foreign);
    } finally {
      await closeSession(browserBinding(), foreign);
    }
  });

  test(
    "a load whose browser was closed behind the pool's back is done in another one",
    { tags: ["long"] },
    async () => {
      const browser = testBrowser();
      expect(await browser.load(browserRequest(`${site}/final`))).toMatchObject({ kind: "loaded" });
      const [sessionId] = (await pool().status()).browsers;
      await closeSession(browserBinding(), given(sessionId));
      expect(await browser.load(browserRequest(`${site}/final`))).toMatchObject({ kind: "loaded" });
      expect((await pool().status()).browsers).not.toContain(sessionId);
    },
  );

  test("a load whose browser ends in its middle is done in another one", async () => {
    const browser = testBrowser();
    const loading = browser.load(browserRequest(`${site}/final`, { waitForMs: 2_000 }));
    await eventually(async () => expect((await pool().status()).leases).toBe(1));
    const [sessionId] = (await pool().status()).browsers;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await closeSession(browserBinding(), given(sessionId));
    expect(await loading).toMatchObject({ kind: "loaded" });
  });
});

test("a pool without a size of its own has the browsers that the account allows beside sessions", async () => {
  // The simulator allows six.
  const settings = { maxBrowsers: 1, reservedOfAccount: 4, contextsPerBrowser: 1, launchIntervalMs: 0 };
  const grants = await Promise.all([acquire({ settings }), acquire({ settings })]);
  expect(new Set(grants.map(({ sessionId }) => sessionId)).size).toBe(2);
  const third = await pool().acquire({ deadlineMs: Date.now() + 500, settings: { ...SETTINGS, ...settings } });
  expect(third).toMatchObject({ kind: "refused", reason: "deadline" });
  for (const { leaseId } of grants) await pool().release(leaseId, "gone");
});

const MANY_LOADS = { tags: ["long" as const], timeout: 240_000 };

test(
  `after ${LOADS} loads, of which some time out and some crash, as many browsers and contexts are left as rest`,
  MANY_LOADS,
  async () => {
    const browser = testBrowser({ pool: { maxPages: Math.round(LOADS * 0.3), leaseGraceMs: 2_000 } });
    const kinds: ((index: number) => BrowserRequest)[] = [
      (index) => browserRequest(`${site}/final?${index}`),
      (index) => browserRequest(`${site}/app/shell?${index}`),
      (index) => browserRequest(`${site}/simple-page-that-is-missing?${index}`),
      () => browserRequest(`${site}/type/png`),
      () => browserRequest(`${site}/reset`),
      () => browserRequest(`${site}/redirect-private`),
      (index) => browserRequest(`${site}/final`, { screenshot: { fullPage: index % 2 === 0, quality: 10 } }),
      () => browserRequest(`${site}/final`, { actions: [{ type: "click", selector: "#missing", all: false }] }),
    ];
    const rare: ((index: number) => BrowserRequest)[] = [
      () => browserRequest(`${site}/hang`, { deadlineMs: Date.now() + 1_500 }),
      () => browserRequest(`${site}/app/hang?hang=now`, { deadlineMs: Date.now() + 2_000 }),
      (index) => browserRequest(`${site}/final?crash=${index}`, { waitForMs: 20_000 }),
    ];
    const outcomes: Record<string, number> = {};
    let next = 0;
    const worker = async (): Promise<void> => {
      for (let index = next++; index < LOADS; index = next++) {
        const make =
          index % RARE_INTERVAL === RARE_INTERVAL - 1
            ? given(rare[index % rare.length])
            : given(kinds[index % kinds.length]);
        const outcome = await browser.load(make(index));
        const isCrash = outcome.kind === "failed" && outcome.message.includes("crashed");
        const name = isCrash ? "crashed" : outcome.kind === "failed" ? outcome.code : outcome.kind;
        outcomes[name] = (outcomes[name] ?? 0) + 1;
      }
    };
    const loads = Promise.all(Array.from({ length: 6 }, worker));
    const ended = loads.then(
      () => true,
      () => true,
    );
    while (!(await within(ended, 500, false))) {
      for (const sessionId of (await pool().status()).browsers) await crashPages(sessionId, "crash=");
    }
    await loads;
    const rareCount = Math.floor(LOADS / RARE_INTERVAL);
    expect(outcomes["loaded"]).toBeGreaterThan(LOADS * 0.3);
    expect(outcomes["SCRAPE_TIMEOUT"]).toBeGreaterThan(rareCount / 4);
    expect(outcomes["crashed"]).toBeGreaterThan(rareCount / 5);
    await eventually(async () => {
      const { browsers, leases, waiters } = await pool().status();
      expect({ leases, waiters }).toEqual({ leases: 0, waiters: 0 });
      expect(browsers.length).toBeLessThanOrEqual(2);
      expect((await liveSessions()).toSorted()).toEqual(browsers.toSorted());
      for (const sessionId of browsers) {
        expect(await contextsOf(sessionId)).toEqual([]);
        expect(await pagesOf(sessionId)).toBe(0);
      }
    });
  },
);
