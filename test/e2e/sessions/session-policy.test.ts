import { createSocket } from "node:dgram";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findInstalledBrowser, isHeadlessShell } from "../../../src/tools/browser/installed-browser.ts";
import { listBrowserPorts } from "../../../src/tools/browser/watch-browsers.ts";
import { inject } from "../inject.ts";
import { endSession, openSession, type CreatedSession } from "./browser-client.ts";
import { call, sitePage } from "../client.ts";
import { openRawCdp, type RawCdp } from "./raw-cdp.ts";
import { soon } from "../soon.ts";
import { upgradeStatus } from "./viewer-socket.ts";

/** What somebody with a session key tries, over its cdpUrl and with code, to leave the web by. */
let session: CreatedSession;
let cdp: RawCdp;

beforeAll(async () => {
  session = await openSession({ ttl: 600 });
  cdp = await openRawCdp(session.cdpUrl);
});
afterAll(async () => {
  cdp.close();
  await endSession(session.id);
});

const EVERY_TARGET = [{}];
/** Pages are attached to through their tabs, or without them. */
const EVERY_PAGE = [{ type: "tab", exclude: true }, { type: "browser", exclude: true }, {}];
const AUTO_ATTACH = { autoAttach: true, waitForDebuggerOnStart: false, flatten: true, filter: EVERY_PAGE };

async function shownTargets(): Promise<{ type: string; url: string; targetId: string }[]> {
  const { targetInfos } = await cdp.send("Target.getTargets", { filter: EVERY_TARGET });
  return targetInfos;
}

async function foreignUrls(): Promise<string[]> {
  return (await shownTargets()).map(({ url }) => url).filter((url) => !/^(about:blank|https?:.*|)$/.test(url));
}

async function openPage(url: string) {
  const { targetId } = await cdp.send("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await cdp.send("Target.attachToTarget", { targetId, flatten: true });
  await cdp.send("Page.enable", {}, sessionId);
  await cdp.send("Page.navigate", { url }, sessionId);
  const evaluate = async (expression: string): Promise<unknown> => {
    const asked = { expression, awaitPromise: true, returnByValue: true, userGesture: true };
    return (await cdp.send("Runtime.evaluate", asked, sessionId)).result.value;
  };
  return { targetId, sessionId, evaluate, close: () => cdp.send("Target.closeTarget", { targetId }) };
}

/** Port on which the browser that has a page with these words in its URL takes commands. */
async function portOfBrowserWith(words: string): Promise<number | undefined> {
  const folders = readdirSync(tmpdir()).filter((name) => name.startsWith("orbweaver-run-"));
  for (const port of folders.flatMap((name) => listBrowserPorts(join(tmpdir(), name)))) {
    const list = await fetch(`http://127.0.0.1:${port}/json/list`).then(
      (response) => response.text(),
      () => "",
    );
    if (list.includes(words)) return port;
  }
  return undefined;
}

/** Runs a script in an isolated world of a page: what the guard removes from pages is there. */
async function evaluateApart(page: { sessionId: string; targetId: string }, expression: string): Promise<unknown> {
  const world = { frameId: page.targetId, worldName: "apart" };
  await expect(
    cdp.send("Page.createIsolatedWorld", { ...world, contentSecurityPolicy: "script-src 'self'" }, page.sessionId),
  ).rejects.toThrow(/policy/);
  const { executionContextId: contextId } = await cdp.send("Page.createIsolatedWorld", world, page.sessionId);
  const asked = { expression, contextId, awaitPromise: true, returnByValue: true };
  return (await cdp.send("Runtime.evaluate", asked, page.sessionId)).result.value;
}

const MACHINE_URLS: unknown[] = [
  ["devtools://devtools/bundled/inspector.html"],
  ["file:///etc/hostname"],
  "chr\tome://settings",
  "chrome\n://inspect",
  "\u0001chrome://settings",
  "view-source:file:///etc/hostname",
  "file:///etc/hostname",
];

describe("a driver", () => {
  test.each(MACHINE_URLS.map((url) => ({ url })))("opens no page of its machine: $url", async ({ url }) => {
    const page = await openPage("about:blank");
    await expect(cdp.send("Target.createTarget", { url })).rejects.toThrow(/url/);
    await expect(cdp.send("Page.navigate", { url }, page.sessionId)).rejects.toThrow(/url/);
    await page.close();
    expect(await foreignUrls()).toEqual([]);
  });

  test("does so neither with code", async () => {
    const code = `const cdp = await browser.newBrowserCDPSession();
      const outcomes = [];
      for (const url of ${JSON.stringify(MACHINE_URLS)}) {
        outcomes.push(await cdp.send("Target.createTarget", { url }).then(() => "opened", () => "refused"));
      }
      [...new Set(outcomes)].join()`;
    const { body } = await call(`/v2/browser/${session.id}/execute`, { body: { code, language: "node" } });
    expect(body).toMatchObject({ success: true, result: "refused" });
  });

  test("sees and holds pages of the web alone, whatever the browser has besides", async () => {
    const attached: string[] = [];
    cdp.onEvent(({ method, params }) => {
      if (method === "Target.attachedToTarget") attached.push(params.targetInfo.url);
    });
    await cdp.send("Target.setDiscoverTargets", { discover: true, filter: EVERY_TARGET });
    await cdp.send("Target.setAutoAttach", AUTO_ATTACH);
    await cdp.send("Target.setAutoAttach", { autoAttach: false, waitForDebuggerOnStart: false, flatten: true });
    expect(await foreignUrls()).toEqual([]);
    expect(attached.filter((url) => !/^(about:blank|https?:.*|)$/.test(url))).toEqual([]);
    expect(attached.length).toBeGreaterThan(0);
    const base = session.cdpUrl.replace(/^ws/, "http");
    const list = await fetch(base.replace("/cdp?", "/cdp/json/list?"));
    const pages = (await list.json()) as { type: string; url: string }[];
    expect(pages.every(({ type, url }) => type === "page" && /^(about:blank|https?:)/.test(url))).toBe(true);
    expect(await upgradeStatus(base.replace("/cdp?", `/cdp/page/${"0".repeat(32)}?`))).toBe(404);
  });

  test("reaches no browser's own port, though this machine's hosts are opened", async () => {
    const page = await openPage(sitePage("/final?own-port"));
    let port: number | undefined;
    await soon(async () => (port = await portOfBrowserWith("own-port")) !== undefined).toBe(true);
    const { errorText } = await cdp.send("Page.navigate", { url: `http://127.0.0.1:${port}/json/version` }, page.sessionId); // prettier-ignore
    expect(errorText).toMatch(/^net::ERR_/);
    for (const host of ["127.0.0.1", "localhost"]) {
      const { body } = await call("/v2/scrape", { body: { url: `http://${host}:${port}/json/list`, maxAge: 0 } });
      expect(body).toMatchObject({ success: false, code: "SAFE_MODE_BLOCKED" });
    }
    await page.close();
  });

  test("loses a page that goes to the browser's own URLs by a way of its own", async () => {
    const page = await openPage(sitePage("/final"));
    await soon(() => page.evaluate("location.pathname")).toBe("/final");
    const pages = async () => (await shownTargets()).filter(({ type }) => type === "page").length;
    const before = await pages();
    const own = "chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/index.html";
    const isOpen = `(window.own = window.open(${JSON.stringify(own)})) !== null`;
    expect(await page.evaluate(isOpen)).toBe(true);
    if (isHeadlessShell((await findInstalledBrowser()) ?? "")) {
      // It has no such page: the window stays blank.
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      expect(await page.evaluate("window.own.location.href")).toBe("about:blank");
      expect(await foreignUrls()).toEqual([]);
      await page.evaluate("window.own.close()");
    } else {
      await soon(() => page.evaluate("window.own.closed")).toBe(true);
    }
    await soon(pages).toBe(before);
    await page.close();
  });

  test.each([
    ["a page", async (page: Awaited<ReturnType<typeof openPage>>, script: string) => page.evaluate(script)],
    ["an isolated world", evaluateApart],
  ])("opens no socket to a private host from %s", async (_where, run) => {
    const page = await openPage(sitePage("/final"));
    await soon(() => page.evaluate("location.pathname")).toBe("/final");
    const { host } = new URL(inject("serviceUrl"));
    const script = `new Promise((resolve) => {
      addEventListener("securitypolicyviolation", () => resolve("refused"));
      const socket = new WebSocket("ws://${host}/");
      socket.onopen = socket.onclose = () => setTimeout(resolve, 500, "asked");
    })`;
    expect(await run(page, script)).toBe("refused");
    await page.close();
  });

  test("opens no WebTransport, from an isolated world neither: there is no way around the proxy", async () => {
    let datagrams = 0;
    const target = createSocket("udp4").on("message", () => datagrams++);
    target.bind(0, "127.0.0.1");
    await once(target, "listening");
    const page = await openPage(sitePage("/final"));
    await soon(() => page.evaluate("location.pathname")).toBe("/final");
    const urls = ["127.0.0.1", "localhost"].map((host) => `https://${host}:${target.address().port}/`);
    const script = `Promise.all(${JSON.stringify(urls)}.map(async (url) => {
      const opening = new WebTransport(url).ready.then(() => "open", ({ name }) => name);
      return await Promise.race([opening, new Promise((resolve) => setTimeout(resolve, 3000, "waits"))]);
    }))`;
    expect(await page.evaluate("typeof WebTransport")).toBe("undefined");
    expect(await evaluateApart(page, script)).toEqual(["WebTransportError", "WebTransportError"]);
    expect(datagrams).toBe(0);
    target.close();
    await page.close();
  });

  test("has no file written, by any wish and after others left", async () => {
    const name = `orbweaver-${crypto.randomUUID()}`;
    const ended: string[] = [];
    const page = await openPage("about:blank");
    cdp.onEvent(({ method, params }) => {
      if (method === "Page.downloadProgress" && params.state !== "inProgress") ended.push(params.state);
    });
    const download = async (count: number): Promise<void> => {
      const link = `Object.assign(document.createElement("a"), { href: "data:application/octet-stream,x", download: "${name}-${count}" })`;
      await page.evaluate(`${link}.click()`);
      await soon(() => Promise.resolve(ended.length)).toBe(count);
    };
    await download(1);
    await cdp.send("Browser.setDownloadBehavior", { behavior: "default", eventsEnabled: true });
    await download(2);
    const other = await openRawCdp(session.cdpUrl);
    await other.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: "/tmp" });
    other.close();
    await download(3);
    expect(ended).toEqual(["canceled", "canceled", "canceled"]);
    const places = ["/tmp", homedir(), join(homedir(), "Downloads")];
    const written = places.flatMap((place) => [1, 2, 3].map((count) => join(place, `${name}-${count}`)));
    expect(written.filter((file) => existsSync(file))).toEqual([]);
    await page.close();
  });
});
