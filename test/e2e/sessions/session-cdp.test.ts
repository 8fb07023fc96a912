import CDP from "chrome-remote-interface";
import { chromium } from "playwright-core";
import type { Browser, BrowserContext, Dialog, Page } from "playwright-core";
import puppeteer from "puppeteer-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inject } from "../inject.ts";
import { holdWithPlaywright, endSession, openSession, type CreatedSession } from "./browser-client.ts";
import { sitePage } from "../client.ts";
import { openRawCdp } from "./raw-cdp.ts";
import { soon } from "../soon.ts";
import { upgradeStatus } from "./viewer-socket.ts";

const site = inject("siteUrl");
/** One session for each half of the tests; the last test ends its own. */
let session: CreatedSession;
let second: CreatedSession;

beforeAll(async () => {
  session = await openSession({ ttl: 600 });
  second = await openSession({ ttl: 600 });
});
afterAll(() => Promise.all([session, second].map(({ id }) => endSession(id))));

describe("Playwright, unmodified, over cdpUrl", () => {
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    ({ browser, context, page } = await holdWithPlaywright(session.cdpUrl));
  });
  afterAll(() => browser.close());

  test("opens a page and reads it", async () => {
    const response = await page.goto(sitePage("/tables"));
    expect(response?.status()).toBe(200);
    expect(await page.locator("table").count()).toBeGreaterThan(0);
  });

  test("signs in with a form, and has the cookie", async () => {
    await page.goto(sitePage("/login"));
    await page.getByLabel("Name").fill("halloran");
    await page.getByLabel("Password").fill("seven-fathoms");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL("**/account");
    expect(await page.getByRole("heading").first().textContent()).toContain("halloran");
    expect((await context.cookies(site)).map(({ value }) => value)).toContain("berth-17");
  });

  test("goes back, forward and reloads", { tags: ["long"] }, async () => {
    await page.goto(sitePage("/articles/"));
    await page.goto(sitePage("/docs/"));
    await page.goBack();
    expect(page.url()).toBe(sitePage("/articles/"));
    await page.goForward();
    await page.reload();
    expect(page.url()).toBe(sitePage("/docs/"));
  });

  test("checks, chooses, hovers and sets dates", { tags: ["long"] }, async () => {
    await page.goto(sitePage("/app/controls"));
    await page.locator("#lamp").check();
    await page.locator("#horn").uncheck();
    await page.locator("#starboard").check();
    await page.locator("#buoy").selectOption("green");
    await page.locator("#flags").selectOption(["Alfa", "Charlie"]);
    await page.locator("#depth").fill("7");
    await page.locator("#day").fill("2026-03-01");
    await page.locator("#hover").hover();
    const state = await page.locator("#state").textContent();
    for (const line of ["lamp on", "horn off", "side starboard", "buoy green", "flags Alfa+Charlie", "depth 7"]) {
      expect(state).toContain(line);
    }
    expect(await page.locator("#hover").textContent()).toBe("Hovered");
  });

  test("uploads a file", { tags: ["long"] }, async () => {
    await page.goto(sitePage("/app/controls"));
    await page.locator("#chart").setInputFiles({
      name: "bay.txt",
      mimeType: "text/plain",
      buffer: Buffer.from("soundings"),
    });
    expect(await page.locator("#state").textContent()).toContain("chart bay.txt");
    const text = await page.locator("#chart").evaluate((input) => (input as unknown as FileInput).files[0]?.text());
    expect(text).toBe("soundings");
  });

  test("types with the keyboard", { tags: ["long"] }, async () => {
    await page.goto(sitePage("/form"));
    await page.getByLabel("Your name").pressSequentially("Ada ñ");
    await page.keyboard.press("Control+A");
    await page.keyboard.press("Backspace");
    await page.keyboard.type("Grace");
    expect(await page.getByLabel("Your name").inputValue()).toBe("Grace");
  });

  test("answers dialogs", { tags: ["long"] }, async () => {
    const asked: string[] = [];
    const answer = async (dialog: Dialog): Promise<void> => {
      asked.push(dialog.type());
      await dialog.accept(dialog.type() === "prompt" ? "open sesame" : undefined);
    };
    page.on("dialog", answer);
    await page.goto(sitePage("/app/dialogs"));
    page.off("dialog", answer);
    expect(asked).toEqual(["alert", "confirm", "prompt"]);
    expect(await page.locator("#answers").textContent()).toContain('prompt answered "open sesame"');
  });

  test("works inside frames, of the same site and of another", { tags: ["long"] }, async () => {
    for (const path of ["/app/iframe", "/app/iframe-other"]) {
      await page.goto(sitePage(path));
      const frame = page.frameLocator("#frame");
      await frame.getByText("Notice to mariners").waitFor();
    }
  });

  test("reaches into shadow roots", { tags: ["long"] }, async () => {
    await page.goto(sitePage("/app/shadow"));
    expect(await page.evaluate("document.querySelectorAll('*').length")).toBeGreaterThan(3);
  });

  test("follows a window that a page opens", { tags: ["long"] }, async () => {
    await page.goto(sitePage("/final"));
    const [popup] = await Promise.all([
      context.waitForEvent("page"),
      page.evaluate(`void window.open(${JSON.stringify(sitePage("/app/popup-target?from=test"))})`),
    ]);
    await popup.waitForLoadState();
    expect(popup.url()).toContain("from=test");
    await popup.close();
  });

  test("opens tabs of its own", { tags: ["long"] }, async () => {
    const tab = await context.newPage();
    await tab.goto(sitePage("/code"));
    expect(context.pages()).toContain(tab);
    await tab.close();
    expect(context.pages()).not.toContain(tab);
  });

  test("keeps contexts apart", async () => {
    const other = await browser.newContext({ viewport: { width: 500, height: 400 }, locale: "de-DE" });
    const tab = await other.newPage();
    await tab.goto(sitePage("/account"));
    expect(tab.url()).toContain("/login");
    expect(await tab.evaluate("[innerWidth, navigator.language]")).toEqual([500, "de-DE"]);
    await other.close();
  });

  test("answers, changes and blocks requests", async () => {
    await page.route("**/made-up", (route) => route.fulfill({ contentType: "text/plain", body: "from the test" }));
    await page.route("**/*.svg", (route) => route.abort());
    await page.goto(sitePage("/images"));
    expect(await page.evaluate("fetch('/made-up').then((answer) => answer.text())")).toBe("from the test");
    await page.unrouteAll();
  });

  test("listens to requests, responses and the console", async () => {
    const seen: string[] = [];
    page.on("response", (response) => seen.push(`${response.status()} ${new URL(response.url()).pathname}`));
    const said = page.waitForEvent("console");
    await page.goto(sitePage("/final"));
    await page.evaluate("console.log('ahoy')");
    expect((await said).text()).toBe("ahoy");
    expect(seen).toContain("200 /final");
  });

  test("sends headers of its own", { tags: ["long"] }, async () => {
    await page.setExtraHTTPHeaders({ "x-harbour": "north" });
    await page.goto(sitePage("/echo"));
    expect((await page.content()).toLowerCase()).toContain("x-harbour");
    await page.setExtraHTTPHeaders({});
  });

  test("takes screenshots and prints", { tags: ["long"] }, async () => {
    await page.goto(sitePage("/lists"));
    expect((await page.screenshot({ fullPage: true })).subarray(1, 4).toString()).toBe("PNG");
    expect((await page.locator("h1").screenshot({ type: "jpeg" })).readUInt16BE(0)).toBe(0xffd8);
    expect((await page.pdf()).subarray(0, 5).toString()).toBe("%PDF-");
  });

  test("evaluates with arguments, handles and exposed functions", { tags: ["long"] }, async () => {
    await page.goto(sitePage("/final"));
    await page.exposeFunction("double", (value: number) => value * 2);
    expect(await page.evaluate("double(21)")).toBe(42);
    const handle = await page.evaluateHandle("({ depth: 7 })");
    expect(await handle.jsonValue()).toEqual({ depth: 7 });
  });

  test("waits for what a script brings", { tags: ["long"] }, async () => {
    await page.goto(sitePage("/app/slow?ms=800"));
    await page.waitForSelector("table");
    await page.waitForFunction("document.querySelectorAll('td').length > 0");
  });

  test("scrolls a page that grows", { tags: ["long"] }, async () => {
    await page.goto(sitePage("/app/scroll?max=60"));
    await page.waitForFunction("document.documentElement.scrollHeight > innerHeight");
    await soon(async () => {
      await page.mouse.wheel(0, 4000);
      return page.evaluate("scrollY");
    }).toBeGreaterThan(0);
  });

  test("is told of a download, with its name", async () => {
    await page.goto(sitePage("/final"));
    const coming = page.waitForEvent("download");
    await page.evaluate(`location.href = ${JSON.stringify(sitePage("/download.pdf"))}`);
    const download = await coming;
    expect(download.suggestedFilename()).toMatch(/\.pdf$/);
    expect(download.url()).toBe(sitePage("/download.pdf"));
  });

  test("keeps and gives back storage state", { tags: ["long"] }, async () => {
    await page.goto(sitePage("/final"));
    await page.evaluate("localStorage.setItem('tide', 'high')");
    const { cookies, origins } = await context.storageState();
    expect(cookies.length).toBeGreaterThan(0);
    expect(JSON.stringify(origins)).toContain("tide");
  });
});

interface FileInput {
  files: { text(): Promise<string> }[];
}

describe("other clients of the protocol", () => {
  test("puppeteer-core connects, and finds the page that is there", async () => {
    const browser = await puppeteer.connect({ browserWSEndpoint: second.cdpUrl, defaultViewport: null });
    const [page] = await browser.pages();
    await page?.goto(sitePage("/final"));
    expect(await page?.title()).not.toBe("");
    await browser.disconnect();
  });

  test("chrome-remote-interface connects to the browser and to a page of the list", async () => {
    const browser = await CDP({ target: second.cdpUrl, local: true });
    expect((await browser.Browser.getVersion()).product).toMatch(/Chrome/);
    await browser.close();
    const list = await jsonOf(second.cdpUrl, "list");
    const target = (list as { type: string; webSocketDebuggerUrl: string }[]).find(({ type }) => type === "page");
    const page = await CDP({ target: target?.webSocketDebuggerUrl ?? "", local: true });
    await page.Page.enable();
    const loaded = page.Page.loadEventFired();
    await page.Page.navigate({ url: sitePage("/code") });
    await loaded;
    const { result } = await page.Runtime.evaluate({ expression: "location.pathname" });
    expect(result.value).toBe("/code");
    await page.close();
  });

  test("Playwright finds its way from the HTTP address", async () => {
    const browser = await chromium.connectOverCDP(second.cdpUrl.replace(/^ws/, "http"));
    expect(browser.contexts()[0]?.pages()).toHaveLength(1);
    await browser.close();
  });
});

describe("access over CDP", () => {
  test("needs the session's own token for it", async () => {
    const tokenOf = (url: string): string => new URL(url).searchParams.get("token") ?? "";
    const withToken = (token: string): string => second.cdpUrl.replace(/token=.*/, `token=${token}`);
    const wrong = [
      "",
      "0".repeat(64),
      tokenOf(second.liveViewUrl),
      tokenOf(second.interactiveLiveViewUrl),
      tokenOf(session.cdpUrl),
      inject("apiKey"),
    ];
    for (const token of wrong) {
      expect(await refusalOf(withToken(token))).toBe(404);
      expect((await fetch(jsonAddress(withToken(token), "list"))).status).toBe(404);
    }
    const unknown = second.cdpUrl.replace(second.id, crypto.randomUUID());
    expect(await refusalOf(unknown)).toBe(404);
  });

  test(
    "ends for a client whose page sends tens of thousands of events at once, and the session stays",
    { tags: ["long"] },
    async () => {
      const cdp = await openRawCdp(second.cdpUrl);
      const { targetId } = await cdp.send("Target.createTarget", { url: "about:blank" });
      const { sessionId } = await cdp.send("Target.attachToTarget", { targetId, flatten: true });
      await cdp.send("Runtime.enable", {}, sessionId);
      const expression = "for (let at = 0; at < 60_000; at++) console.log(at)";
      void cdp.send("Runtime.evaluate", { expression }, sessionId);
      expect(await cdp.closed).toMatchObject({ code: 1013, reason: "The browser sends too many events" });
      const next = await openRawCdp(second.cdpUrl);
      await next.send("Target.closeTarget", { targetId });
      next.close();
    },
  );

  test("ends within a second of the session's end", async () => {
    const { browser } = await holdWithPlaywright(second.cdpUrl);
    const cut = new Promise<number>((resolve) => browser.on("disconnected", () => resolve(performance.now())));
    await endSession(second.id);
    const answeredMs = performance.now();
    await fetch(`${inject("serviceUrl")}/health`);
    // A machine that takes its time for the least of answers takes it for this as well.
    const delayMs = performance.now() - answeredMs;
    expect((await cut) - answeredMs).toBeLessThan(1000 + 10 * delayMs);
    expect(await refusalOf(second.cdpUrl)).toBe(410);
    expect((await fetch(jsonAddress(second.cdpUrl, "version"))).status).toBe(410);
  });
});

function jsonAddress(cdpUrl: string, what: string): string {
  const { host, pathname, search } = new URL(cdpUrl);
  return `http://${host}${pathname}/json/${what}${search}`;
}

async function jsonOf(cdpUrl: string, what: string): Promise<unknown> {
  return (await fetch(jsonAddress(cdpUrl, what))).json();
}

function refusalOf(cdpUrl: string): Promise<number> {
  return upgradeStatus(cdpUrl.replace(/^ws/, "http"));
}
