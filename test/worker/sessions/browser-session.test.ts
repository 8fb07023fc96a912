import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, afterEach, describe, expect, inject, test } from "vitest";
import type { SessionPlan } from "../../../src/core/sessions/browser-session.ts";
import { relayCdp } from "../../../src/core/cdp/cdp-relay.ts";
import { CdpConnection } from "../../../src/platform/browser/cdp-connection.ts";
import { closeSession } from "../../../src/platform/browser/browser-sessions.ts";
import { sessionTokens } from "../../../src/platform/sessions/session-tokens.ts";
import type { OpenOutcome } from "../../../src/ports/sessions/browser-session.ts";
import { createBrowserSessionStore } from "../../../src/storage/sessions/browser-session-store.ts";
import { given } from "../../fakes/given.ts";
import { isShort } from "../../sample.ts";
import { browserBinding, liveSessions, sessionPlan, testSessions } from "../browser/browser-helpers.ts";

const site = inject("siteUrl");
const sessions = testSessions();
const store = createBrowserSessionStore(env.DB);
const poolStatus = () => env.BROWSER_POOL.getByName("sessions").status();

/** Sessions that end in each of three ways. `SESSION_ENDS=17` for the full proof. */
const ENDS = inject("sessionEnds");

/** Tabs that go somewhere at once. */
const TABS = isShort() ? 4 : 12;

/** A test that failed leaves no browser behind for the others. */
const opened = new Set<string>();
afterEach(async () => {
  await Promise.all([...opened].map((id) => sessions.close(id, "deleted")));
  opened.clear();
});

/** On a busy machine a browser may take longer to start than a session waits for one. */
async function openSession(more: Partial<SessionPlan>): Promise<OpenOutcome> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await sessions.open(sessionPlan(more));
    if (outcome.kind !== "no_browser" || attempt === 3) return outcome;
  }
}

async function openOne(more: Partial<SessionPlan> = {}) {
  const outcome = await openSession(more);
  if (outcome.kind !== "opened" || outcome.view.tokens === undefined) throw new Error(`not opened: ${outcome.kind}`);
  const { life, tokens } = outcome.view;
  const access = await sessions.authorize(life.id, tokens.cdp, "cdp");
  if (access.kind !== "granted") throw new Error(access.reason);
  return { id: life.id, life, tokens, browserSessionId: access.browserSessionId };
}

async function open(more: Partial<SessionPlan> = {}): ReturnType<typeof openOne> {
  const one = await openOne(more);
  opened.add(one.id);
  return one;
}

/** A session with little time: on a busy machine its browser's start alone may use that up, and it is given more. */
async function openBriefly(limit: "ttlMs" | "activityTtlMs") {
  for (let ms = 400; ; ms *= 2) {
    try {
      return { ...(await open({ [limit]: ms })), ms };
    } catch (error) {
      if (ms > 10_000 || !String(error).includes("ended")) throw error;
    }
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Goes to an address in the session's one tab, over a connection of the test's own, and says how it went. */
async function visit(browserSessionId: string, url: string): Promise<string | undefined> {
  const connection = await CdpConnection.open(browserBinding(), browserSessionId);
  try {
    const { targetInfos } = await connection.send("Target.getTargets");
    const pages = targetInfos.filter(({ type }) => type === "page");
    expect(pages).toHaveLength(1);
    const { sessionId } = await connection.send("Target.attachToTarget", {
      targetId: pages[0]?.targetId ?? "",
      flatten: true,
    });
    return (await connection.send("Page.navigate", { url }, sessionId)).errorText;
  } finally {
    connection.close();
  }
}

/** A connection as clients have it, with the relay in between. */
async function driver(id: string, browserSessionId: string): Promise<CdpConnection> {
  const url = `https://browser/v1/devtools/browser/${browserSessionId}`;
  const { webSocket } = await browserBinding().fetch(url, { headers: { Upgrade: "websocket" } });
  if (webSocket === null) throw new Error("no browser");
  const { 0: client, 1: server } = new WebSocketPair();
  relayCdp(server, webSocket, {
    whenIntercepted: (targetId, url) => sessions.whenIntercepted(id, targetId, url),
    mayRequest: (url) => sessions.mayRequest(id, url),
    onLeft: () => void sessions.driverLeft(id),
    onCommand: () => undefined,
  });
  return new CdpConnection(client);
}

/** The value of a script in the session's one tab. */
async function evaluate(browserSessionId: string, expression: string): Promise<unknown> {
  const connection = await CdpConnection.open(browserBinding(), browserSessionId);
  try {
    const { targetInfos } = await connection.send("Target.getTargets");
    const targetId = targetInfos.find(({ type }) => type === "page")?.targetId ?? "";
    const { sessionId } = await connection.send("Target.attachToTarget", { targetId, flatten: true });
    const { result } = await connection.send("Runtime.evaluate", { expression, awaitPromise: true }, sessionId);
    return result.value;
  } finally {
    connection.close();
  }
}

/** Everything that a session's object keeps. */
function keptOf(id: string): Promise<unknown[]> {
  return runInDurableObject(env.BROWSER_SESSION.getByName(id), (_object, { storage }) => [
    storage.kv.get("session"),
    ...storage.kv.list(),
  ]);
}

async function eventually(check: () => Promise<void>): Promise<void> {
  const endMs = Date.now() + 25_000;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > endMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

test("the end of a session is claimed by one caller at a time, who may repeat the claim", async () => {
  const id = crypto.randomUUID();
  const claims = ["first", "second", "first"].map((claimant) => () => sessions.claimEnd(id, claimant));
  // A caller of the release before has no name.
  claims.push(async () => await env.BROWSER_SESSION.getByName(id).claimEnd());
  const answers: boolean[] = [];
  for (const claim of claims) answers.push(await claim());
  expect(answers).toEqual([true, false, true, false]);
});

// On a busy machine, a browser takes ten seconds to start.
describe("a browser session", { timeout: 120_000 }, () => {
  describe("that several tests use", () => {
    let shared: ReturnType<typeof openOne> | undefined;
    const openShared = (): ReturnType<typeof openOne> => {
      shared ??= openOne({ ttlMs: 300_000, activityTtlMs: 300_000 });
      shared.catch(() => (shared = undefined));
      return shared;
    };
    afterAll(async () => {
      if (shared !== undefined) await sessions.close((await shared).id, "deleted");
      await eventually(async () => expect(await poolStatus()).toMatchObject({ browsers: [], leases: 0 }));
    });

    test("has a page that answers again after the renderer of its only page has ended", async () => {
      const { browserSessionId } = await openShared();
      const connection = await CdpConnection.open(browserBinding(), browserSessionId);
      const pagesOf = async () =>
        (await connection.send("Target.getTargets")).targetInfos.filter(({ type }) => type === "page");
      try {
        const [page] = await pagesOf();
        const { targetId } = given(page);
        const { sessionId } = await connection.send("Target.attachToTarget", { targetId, flatten: true });
        connection.send("Page.crash", undefined, sessionId).catch(() => undefined);
        await eventually(async () => {
          const pages = await pagesOf();
          expect(pages).toHaveLength(1);
          expect(pages[0]?.targetId).not.toBe(targetId);
        });
      } finally {
        connection.close();
      }
      expect(await evaluate(browserSessionId, "1 + 1")).toBe(2);
    });

    test("calls no address that the service itself would not call", async () => {
      const { browserSessionId } = await openShared();
      const other = inject("otherSiteUrl");
      expect(await visit(browserSessionId, `${other}/final`)).toBe("net::ERR_BLOCKED_BY_CLIENT");
      expect(await visit(browserSessionId, `${site}/final`)).toBeUndefined();

      // Nor behind a redirect, or by a socket.
      const { host } = new URL(other);
      expect(await visit(browserSessionId, `${site}/redirect-to?url=http://${host}/final`)).toBe(
        "net::ERR_BLOCKED_BY_CLIENT",
      );
      await visit(browserSessionId, `${site}/final`);
      const script = `new Promise((resolve) => {
      addEventListener("securitypolicyviolation", ({ blockedURI }) => resolve("blocked " + blockedURI));
      const socket = new WebSocket("ws://${host}/socket");
      socket.onopen = () => resolve("open");
      socket.onerror = () => setTimeout(resolve, 300, "asked");
    })`;
      expect(await evaluate(browserSessionId, script)).toContain("blocked ws://");

      // This closes the tab.
      expect(await visit(browserSessionId, "file:///etc/hostname")).toMatch(/^net::ERR_/);
    });
  });

  test("is listed among the active ones behind five hundred later ones", { tags: ["long"] }, async () => {
    const nowMs = Date.now();
    const session = { teamId: "crowded", keyId: "key", scrapeId: undefined, streamWebView: true, recordSession: false };
    const times = { lastActivityMs: nowMs, expiresAtMs: nowMs + 60_000 };
    const ids = Array.from({ length: 502 }, () => crypto.randomUUID());
    for (const [index, id] of ids.entries()) {
      await store.insert({ ...session, ...times, id, status: "active", createdAtMs: nowMs + index, end: undefined });
      if (index > 0) await store.end(id, { atMs: nowMs, reason: "deleted", credits: 2 }, nowMs);
    }
    const listed = async (status: "active" | "destroyed" | undefined, atMs = nowMs) =>
      (await store.list("crowded", { status, nowMs: atMs })).map(({ id }) => id);
    expect(await listed("active")).toEqual([ids[0]]);
    expect(await listed("destroyed")).toEqual(ids.slice(2).toReversed());
    expect(await listed("active", nowMs + 24 * 3_600_000)).toEqual([]);
    expect(await listed(undefined)).toEqual(ids.slice(2).toReversed());
  });

  test("has a browser with one tab of its own, and gives it back when it is deleted", { tags: ["long"] }, async () => {
    const { id, browserSessionId } = await open();
    expect(await visit(browserSessionId, `${site}/final`)).toBeUndefined();
    expect((await poolStatus()).browsers).toEqual([browserSessionId]);
    expect(await sessions.close(id, "deleted")).toMatchObject({ credits: 2, wasEnded: false });
    expect(await sessions.close(id, "deleted")).toMatchObject({ credits: 2, wasEnded: true });
    await eventually(async () => expect(await poolStatus()).toMatchObject({ browsers: [], leases: 0 }));
    const [row] = await store.list("team", { status: "destroyed", nowMs: Date.now() });
    expect(row).toMatchObject({ id, status: "destroyed", end: { reason: "deleted", credits: 2 } });
    expect((await sessions.find(id))?.tokens).toBeUndefined();
  });

  test("opens to its own tokens only, each for what it is for", async () => {
    const { id, tokens } = await open();
    const kinds = async (token: string) =>
      Promise.all(
        (["cdp", "view", "drive"] as const).map(async (scope) => (await sessions.authorize(id, token, scope)).kind),
      );
    expect(await kinds(tokens.cdp)).toEqual(["granted", "refused", "refused"]);
    expect(await kinds(tokens.view)).toEqual(["refused", "granted", "refused"]);
    expect(await kinds(tokens.drive)).toEqual(["refused", "granted", "granted"]);
    expect(await kinds("")).toEqual(["refused", "refused", "refused"]);
    const kept = await keptOf(id);
    const { secret } = kept[0] as { secret: string };
    const written = JSON.stringify([kept, await store.list("team", { status: "active", nowMs: Date.now() })]);
    for (const token of Object.values(tokens)) expect(written).not.toContain(token);
    expect(Object.values(await sessionTokens({ secret, deploymentKey: undefined }))).not.toContain(tokens.cdp);
    await sessions.close(id, "deleted");
    expect(JSON.stringify(await keptOf(id))).not.toContain(secret);
    expect(await sessions.authorize(id, tokens.cdp, "cdp")).toEqual({ kind: "refused", reason: "ended" });
    expect(await sessions.authorize(crypto.randomUUID(), tokens.cdp, "cdp")).toMatchObject({ reason: "unknown" });
  });

  test("lets no tab go anywhere before its requests are looked at", async () => {
    const { id, browserSessionId } = await open();
    const other = inject("otherSiteUrl");
    const secret = `/race/${crypto.randomUUID()}`;
    const connection = await driver(id, browserSessionId);
    await Promise.all(
      Array.from({ length: TABS }, async (_, index) => {
        const url = `${other}${secret}`;
        const { targetId } = await connection.send("Target.createTarget", {
          url: index % 2 === 0 ? url : "about:blank",
        });
        const { sessionId } = await connection.send("Target.attachToTarget", { targetId, flatten: true });
        if (index % 2 === 1) await connection.send("Page.navigate", { url }, sessionId).catch(() => undefined);
        await connection.send(
          "Runtime.evaluate",
          { expression: `fetch(${JSON.stringify(url)}).catch(() => 0)` },
          sessionId,
        );
        await connection.send("Runtime.evaluate", { expression: `window.open(${JSON.stringify(url)})` }, sessionId);
      }),
    );
    await new Promise((resolve) => setTimeout(resolve, 500));
    const hits = await fetch(`${site}/__hits`);
    expect(await hits.text()).not.toContain(secret);
    connection.close();
    await sessions.close(id, "deleted");
  });

  // Of a thousand sessions: test/unit/platform/sessions/browser-session.test.ts.
  const MANY_ENDS = { tags: ["long" as const], timeout: 400_000 };
  test(`of ${3 * ENDS} that are deleted, killed and run out of time, no browser stays behind`, MANY_ENDS, async () => {
    const ends = [
      async () => {
        const { id } = await open();
        await sessions.close(id, "deleted");
        return id;
      },
      async () => {
        const { id, browserSessionId } = await open();
        await closeSession(browserBinding(), browserSessionId);
        return id;
      },
      async () => {
        const { id, ms } = await openBriefly("ttlMs");
        await pause(ms + 50);
        await runDurableObjectAlarm(env.BROWSER_SESSION.getByName(id));
        return id;
      },
    ];
    const ended: string[] = [];
    const lanes = ends.map(async (end) => {
      for (let count = 0; count < ENDS; count++) ended.push(await end());
    });
    await Promise.all(lanes);
    for (const id of ended) {
      await eventually(async () => expect((await sessions.find(id))?.life.end).toBeDefined());
    }
    await eventually(async () => expect(await poolStatus()).toMatchObject({ browsers: [], leases: 0, waiters: 0 }));
    await eventually(async () => expect(await liveSessions()).toEqual([]));
  });

  test("ends when its browser does", async () => {
    const { id, browserSessionId } = await open();
    await closeSession(browserBinding(), browserSessionId);
    await eventually(async () => expect((await sessions.find(id))?.life.end?.reason).toBe("browser_died"));
    await eventually(async () => expect(await poolStatus()).toMatchObject({ browsers: [], leases: 0 }));
  });

  test("ends by its alarm when its time is over", { tags: ["long"] }, async () => {
    const { id, ms } = await openBriefly("ttlMs");
    const idle = await openBriefly("activityTtlMs");
    await pause(Math.max(ms, idle.ms) + 50);
    await runDurableObjectAlarm(env.BROWSER_SESSION.getByName(id));
    await runDurableObjectAlarm(env.BROWSER_SESSION.getByName(idle.id));
    expect((await sessions.find(id))?.life.end?.reason).toBe("ttl");
    expect((await sessions.find(idle.id))?.life.end?.reason).toBe("idle");
    await eventually(async () => expect(await poolStatus()).toMatchObject({ browsers: [], leases: 0 }));
  });

  test("is the only one of its scrape", { tags: ["long"] }, async () => {
    const scrapeId = crypto.randomUUID();
    const { id } = await open({ scrapeId });
    expect(await sessions.open(sessionPlan({ scrapeId }))).toEqual({ kind: "taken", bySessionId: id });
    await sessions.close(id, "deleted");
    const next = await open({ scrapeId });
    await sessions.close(next.id, "deleted");
    await eventually(async () => expect(await poolStatus()).toMatchObject({ browsers: [], leases: 0 }));
  });
});
