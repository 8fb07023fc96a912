import { describe, expect, test } from "vitest";
import type { BrowserSessions, Access } from "../../../../src/ports/sessions/browser-session.ts";
import type { SessionConnector } from "../../../../src/ports/sessions/live-view.ts";
import { openSessionSocket, sessionEndpointOf } from "../../../../src/http/sessions/session-sockets.ts";
import { testApp } from "../../../fakes/services/test-app.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

const ID = "0197f6a0-7c00-7abc-8def-0123456789ab";
const NATIVE = "https://live.example/ui/view?jwt=x";

const PAGE = "https://example.com/";

/** Sessions with one, whose tokens are the names of what they open; the rest of the ports is not used here. */
function depsWith({ native, refused }: { native?: string; refused?: "unknown" | "ended" } = {}) {
  const asked: string[] = [];
  const authorize: BrowserSessions["authorize"] = async (_id, token, wanted): Promise<Access> => {
    if (refused !== undefined) return { kind: "refused", reason: refused };
    const opens = token === wanted || (wanted === "view" && token === "drive");
    if (!opens) return { kind: "refused", reason: "token" };
    return { kind: "granted", scope: token === "drive" ? "drive" : wanted, browserSessionId: "b1" };
  };
  const doors: Pick<SessionConnector, "nativeView" | "connect" | "facts"> = {
    nativeView: async (browserId, mode) => {
      asked.push(`${browserId} ${mode}`);
      return native;
    },
    connect: async () => undefined,
    facts: async (_browserId, what) =>
      what === "list"
        ? [
            { id: "T1", type: "page", url: PAGE, devtoolsFrontendUrl: "x", webSocketDebuggerUrl: "ws://inside/1" },
            { id: "T2", type: "page", url: "chrome://settings/", webSocketDebuggerUrl: "ws://inside/2" },
            { id: "T3", type: "service_worker", url: PAGE, webSocketDebuggerUrl: "ws://inside/3" },
          ]
        : { Browser: "Chrome/126", webSocketDebuggerUrl: "ws://inside" },
  };
  const whenIntercepted: BrowserSessions["whenIntercepted"] = async (_id, targetId) => targetId === "T1";
  const deps = testDeps({
    browserSessions: { authorize, whenIntercepted } as BrowserSessions,
    sessionConnector: doors as SessionConnector,
  });
  return { deps, asked };
}

describe("the page of a live view", () => {
  test("comes with a policy that lets nothing else in", async () => {
    const response = await testApp(depsWith().deps).app.request(`/view/${ID}?token=view`);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("content-security-policy")).toMatch(/^default-src 'none'; script-src 'sha256-/);
    const html = await response.text();
    expect(html).not.toMatch(/<(script|link|img|iframe)[^>]+(src|href)="(?!data:)/);
    expect(html).not.toMatch(/ (style|on\w+)="/);
  });

  test("is the platform's own where there is one, read only unless driving was asked for by who may", async () => {
    const { deps, asked } = depsWith({ native: NATIVE });
    const { app } = testApp(deps);
    for (const query of ["token=view", "token=view&interactive=true", "token=drive", "token=drive&interactive=true"]) {
      const response = await app.request(`/view/${ID}?${query}`);
      expect({ status: response.status, to: response.headers.get("location") }).toEqual({ status: 302, to: NATIVE });
    }
    expect(asked).toEqual(["b1 view", "b1 view", "b1 view", "b1 drive"]);
  });

  test("is this service's own in a frame of the dashboard, whose policy lets in no other origin", async () => {
    const { deps, asked } = depsWith({ native: NATIVE });
    const { app } = testApp(deps);
    const statusIn = async (dest: string, site: string): Promise<number> => {
      const headers = { "Sec-Fetch-Dest": dest, "Sec-Fetch-Site": site };
      return (await app.request(`/view/${ID}?token=view`, { headers })).status;
    };
    expect(await statusIn("iframe", "same-origin")).toBe(200);
    expect(asked).toEqual([]);
    expect(await statusIn("iframe", "cross-site")).toBe(302);
    expect(await statusIn("document", "same-origin")).toBe(302);
  });

  test.each([
    { why: "another token", token: "cdp", refused: undefined, status: 404, state: "refused" },
    { why: "no token", token: "", refused: undefined, status: 404, state: "refused" },
    { why: "a session that ended", token: "view", refused: "ended" as const, status: 410, state: "ended" },
    { why: "a session that never was", token: "view", refused: "unknown" as const, status: 404, state: "refused" },
  ])("is refused for $why", async ({ token, refused, status, state }) => {
    const { deps, asked } = depsWith({ native: NATIVE, ...(refused === undefined ? {} : { refused }) });
    const { app } = testApp(deps);
    expect((await app.request(`/view/${ID}?token=${token}`)).status).toBe(status);
    expect(await (await app.request(`/view/${ID}/state?token=${token}`)).json()).toMatchObject({ state });
    expect(asked).toEqual([]);
  });
});

describe("what DevTools clients are told", () => {
  test("leads through this service, and names pages of the web alone", async () => {
    const { app } = testApp(depsWith().deps);
    const base = `ws://localhost/v2/browser/${ID}/cdp`;
    const version = await app.request(`/v2/browser/${ID}/cdp/json/version/?token=cdp`);
    expect(await version.json()).toMatchObject({ Browser: "Chrome/126", webSocketDebuggerUrl: `${base}?token=cdp` });
    const list = await app.request(`/v2/browser/${ID}/cdp/json/list?token=cdp`);
    expect(await list.json()).toEqual([
      { id: "T1", type: "page", url: PAGE, webSocketDebuggerUrl: `${base}/page/T1?token=cdp` },
    ]);
  });

  test.each(["view", "drive", ""])("is told to nobody with the token %j", async (token) => {
    const { app } = testApp(depsWith().deps);
    expect((await app.request(`/v2/browser/${ID}/cdp/json/list?token=${token}`)).status).toBe(404);
  });
});

describe("a socket to a session", () => {
  const upgrade = (path: string): Request =>
    new Request(`http://localhost${path}`, { headers: { Upgrade: "websocket" } });

  test.each([
    { path: `/view/${ID}/socket?token=t`, door: { kind: "view", id: ID, token: "t", isInteractive: false } },
    { path: `/view/${ID}/socket?token=t&interactive=true`, door: { kind: "view", isInteractive: true } },
    { path: `/v2/browser/${ID}/cdp?token=t`, door: { kind: "cdp", id: ID, token: "t", targetId: undefined } },
    { path: `/v2/interact/${ID}/cdp?token=t`, door: { kind: "cdp", id: ID } },
    { path: `/v2/browser/${ID}/cdp/page/T1?token=t`, door: { kind: "cdp", targetId: "T1" } },
    { path: `/v2/browser/${ID}/cdp/devtools/page/T1?token=t`, door: { kind: "cdp", targetId: "T1" } },
  ])("is asked for at $path", ({ path, door }) => {
    expect(sessionEndpointOf(upgrade(path))).toMatchObject(door);
  });

  test("is not what other requests want", () => {
    expect(sessionEndpointOf(new Request(`http://localhost/v2/browser/${ID}/cdp?token=t`))).toBeUndefined();
    expect(sessionEndpointOf(upgrade(`/v2/crawl/${ID}`))).toBeUndefined();
  });

  test.each([
    { why: "a token for something else", path: `/v2/browser/${ID}/cdp?token=drive`, status: 404 },
    { why: "a code token on a view", path: `/view/${ID}/socket?token=cdp`, status: 404 },
    { why: "an id that is none", path: "/v2/browser/x/cdp?token=cdp", status: 404 },
    { why: "a browser that is gone", path: `/v2/browser/${ID}/cdp?token=cdp`, status: 410 },
    { why: "a page that is gone", path: `/v2/browser/${ID}/cdp/page/T1?token=cdp`, status: 404 },
    { why: "a page that drivers may not see", path: `/v2/browser/${ID}/cdp/page/T2?token=cdp`, status: 404 },
  ])("is refused with a status for $why", async ({ path, status }) => {
    const door = sessionEndpointOf(upgrade(path));
    if (door === undefined) throw new Error("no door");
    const response = await openSessionSocket(depsWith().deps, door);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ success: false });
  });
});
