import type { Browser, BrowserContext, Frame, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inject } from "../inject.ts";
import { expectAccessible } from "../accessible.ts";
import { endSession, holdWithPlaywright, openSession, type CreatedSession } from "./browser-client.ts";
import { sitePage } from "../client.ts";
import { closeContexts, localBrowser } from "../local-browser.ts";
import { pointIn, watchView, type Point, type Sight } from "./live-viewer.ts";
import { soon } from "../soon.ts";
import { socketTo } from "./viewer-socket.ts";
import { shortAndLong } from "../../sample.ts";

let person: Browser;
let session: CreatedSession;
/** The session's own page, held by code. */
let held: Page;
let context: BrowserContext;

beforeAll(async () => {
  person = await localBrowser();
  session = await openSession({ ttl: 600 });
  ({ page: held, context } = await holdWithPlaywright(session.cdpUrl));
});
afterAll(async () => {
  await endSession(session.id);
  await closeContexts();
});

const watch = (url: string, sight?: Sight): Promise<Page> => watchView(person, url, sight);

const placeOf = (viewer: Page, selector: string): Promise<Point> =>
  pointIn(viewer, held.locator(selector), ({ width }) => width / 2);
/** The place of the sign that opens a field's picker. */
const edgeOf = (viewer: Page, selector: string): Promise<Point> =>
  pointIn(viewer, held.locator(selector), ({ width }) => width - 12);

async function clickOn(viewer: Page, selector: string, options: { clickCount?: number } = {}): Promise<void> {
  const { x, y } = await placeOf(viewer, selector);
  await viewer.mouse.click(x, y, options);
}

const picture = (viewer: Page): Promise<unknown> => viewer.evaluate("document.getElementById('canvas').toDataURL()");
const stateOf = (): Promise<string | null> => held.locator("#state").textContent();

describe("the live view", () => {
  test("shows the page and its changes", async () => {
    await held.goto(sitePage("/final"));
    const viewer = await watch(session.liveViewUrl);
    const before = await picture(viewer);
    await held.evaluate("document.body.style.background = 'teal'");
    await soon(() => picture(viewer)).not.toBe(before);
    await soon(() => viewer.locator("#address").inputValue()).toBe(sitePage("/final"));
    const title = await held.title();
    await soon(() => viewer.title()).toContain(title);
    await viewer.close();
  });

  test("follows a new tab, and returns when it closes", async () => {
    await held.goto(sitePage("/final"));
    const viewer = await watch(session.liveViewUrl);
    const tab = await context.newPage();
    await tab.goto(sitePage("/code"));
    await soon(() => viewer.locator("#address").inputValue()).toBe(sitePage("/code"));
    await soon(() => viewer.locator("#tabs li").count()).toBe(2);
    await tab.close();
    await soon(() => viewer.locator("#address").inputValue()).toBe(sitePage("/final"));
    await viewer.close();
  });

  test("with a viewing token cannot click, type or navigate, in the page or over the socket", async () => {
    await held.goto(sitePage("/app/controls"));
    const before = await stateOf();
    for (const url of [session.liveViewUrl, `${session.liveViewUrl}&interactive=true`]) {
      const viewer = await watch(url);
      await clickOn(viewer, "#lamp");
      await viewer.keyboard.type("x");
      expect(await viewer.locator("#address").getAttribute("readonly")).toBe("");
      const socket = await socketTo(url);
      for (const message of [
        { type: "mouse", kind: "down", x: 0.5, y: 0.5, button: "left", clicks: 1 },
        { type: "touch", kind: "start", points: [{ id: 0, x: 0.1, y: 0.1 }] },
        { type: "key", kind: "down", key: "a", code: "KeyA", keyCode: 65 },
        { type: "text", text: "hello" },
        { type: "navigate", url: sitePage("/final") },
        { type: "tab", action: "open" },
        { type: "copy" },
      ]) {
        expect(await socket.ask(message, "refused")).toEqual({ type: "refused" });
      }
      socket.close();
      await viewer.close();
    }
    expect(held.url()).toBe(sitePage("/app/controls"));
    expect(await stateOf()).toBe(before);
  });

  test("reconnects automatically", async () => {
    const viewer = await watch(session.liveViewUrl);
    const frames = Number(await viewer.locator("#screen").getAttribute("data-frames"));
    await viewer.context().setOffline(true);
    await viewer.evaluate("0");
    await viewer.context().setOffline(false);
    await held.goto(sitePage("/lists"));
    await soon(async () => Number(await viewer.locator("#screen").getAttribute("data-frames"))).toBeGreaterThan(frames);
    await viewer.close();
  });

  test("is refused for a session without a live view", { tags: ["long"] }, async () => {
    const unseen = await openSession({ streamWebView: false });
    const viewer = await person.newPage();
    await viewer.goto(unseen.liveViewUrl);
    await soon(() => viewer.locator("#cover-title").textContent()).toBe("Live view is disabled");
    await viewer.close();
    await endSession(unseen.id);
  });
});

describe("the interactive view", () => {
  let viewer: Page;

  beforeAll(async () => {
    viewer = await watch(session.interactiveLiveViewUrl);
  });
  afterAll(() => viewer.close());

  test("sends clicks to the page", async () => {
    await held.goto(sitePage("/app/controls"));
    await clickOn(viewer, "#lamp");
    await soon(stateOf).toContain("lamp on");
    await clickOn(viewer, "#starboard");
    await soon(stateOf).toContain("side starboard");
  });

  test("hovers, and shows the pointer's shape", { tags: ["long"] }, async () => {
    await held.goto(sitePage("/app/controls"));
    const { x, y } = await placeOf(viewer, "#hover");
    await soon(async () => {
      await viewer.mouse.move(x + Math.random(), y);
      return held.locator("#hover").textContent();
    }).toBe("Hovered");
    await held.goto(sitePage("/form"));
    const link = await placeOf(viewer, "a.brand");
    await soon(async () => {
      await viewer.mouse.move(link.x + Math.random(), link.y);
      return viewer.locator("#canvas").evaluate((canvas) => (canvas as unknown as Styled).style.cursor);
    }).toBe("pointer");
  });

  test("types, with modifiers, accents and double clicks", { tags: ["long"] }, async () => {
    await held.goto(sitePage("/form"));
    const field = held.getByLabel("Your name");
    await clickOn(viewer, "input[type=text], input:not([type])");
    await viewer.keyboard.type("Ada Lovelace");
    await soon(() => field.inputValue()).toBe("Ada Lovelace");
    await viewer.keyboard.press("Control+A");
    await viewer.keyboard.type("Émilie");
    await soon(() => field.inputValue()).toBe("Émilie");
    await clickOn(viewer, "input[type=text], input:not([type])", { clickCount: 2 });
    await viewer.keyboard.press("Backspace");
    await soon(() => field.inputValue()).toBe("");
    await viewer.keyboard.insertText("日本語");
    await soon(() => field.inputValue()).toBe("日本語");
  });

  test("can be used with the keyboard only", { tags: ["long"] }, async () => {
    await held.goto(sitePage("/form"));
    await viewer.locator("#tabs .name").first().focus();
    const focused = "document.activeElement.id || document.activeElement.className";
    const been = [await viewer.evaluate(focused)];
    while (been.length < 12 && been.at(-1) !== "keys") {
      await viewer.keyboard.press("Tab");
      been.push(await viewer.evaluate(focused));
    }
    expect(been).toEqual(["name", "shut", "new", "back", "forward", "reload", "address", "keyboard", "scale", "keys"]);
    // In the view, Tab goes to the page until Shift+Escape leaves the view.
    await viewer.keyboard.press("Tab");
    await viewer.keyboard.press("Tab");
    await soon(() => held.evaluate("document.activeElement.tagName")).not.toBe("BODY");
    await viewer.keyboard.press("Shift+Escape");
    expect(await viewer.evaluate("document.activeElement.id")).toBe("address");
    await viewer.locator("#address").fill(sitePage("/final"));
    await viewer.keyboard.press("Enter");
    await soon(() => held.url()).toBe(sitePage("/final"));
  });

  test("pastes and copies", { tags: ["long"] }, async () => {
    await viewer.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await held.goto(sitePage("/form"));
    await clickOn(viewer, "input[type=text], input:not([type])");
    await viewer.evaluate("navigator.clipboard.writeText('from the person')");
    await viewer.keyboard.press("Control+V");
    const field = held.getByLabel("Your name");
    await soon(() => field.inputValue()).toBe("from the person");
    await viewer.keyboard.press("Control+A");
    await viewer.keyboard.press("Control+X");
    await soon(() => field.inputValue()).toBe("");
    await soon(() => viewer.evaluate("navigator.clipboard.readText()")).toBe("from the person");
  });

  test("scrolls with the wheel", { tags: ["long"] }, async () => {
    await held.goto(sitePage("/app/scroll?max=60"));
    await held.waitForFunction("document.documentElement.scrollHeight > innerHeight");
    const { x, y } = await placeOf(viewer, "h1");
    await soon(async () => {
      await viewer.mouse.move(x, y);
      await viewer.mouse.wheel(0, 300);
      return held.evaluate("scrollY");
    }).toBeGreaterThan(0);
  });

  test("offers the options of drop-down lists, which the screencast does not show", { tags: ["long"] }, async () => {
    await held.goto(sitePage("/app/controls"));
    await clickOn(viewer, "#buoy");
    await viewer.getByRole("radio", { name: "Cardinal" }).check();
    await viewer.getByRole("button", { name: "Choose" }).click();
    await soon(stateOf).toContain("buoy cardinal");
  });

  test("offers pickers for dates and colours, which the screencast does not show", { tags: ["long"] }, async () => {
    await held.goto(sitePage("/app/controls"));
    const choose = viewer.locator("#field").getByRole("button", { name: "Choose" });
    const day = await edgeOf(viewer, "#day");
    await viewer.mouse.click(day.x, day.y);
    await viewer.locator("#field-value").fill("2026-03-01");
    await choose.click();
    await soon(stateOf).toContain("day 2026-03-01");
    await held.evaluate("document.getElementById('depth').type = 'color'");
    await clickOn(viewer, "#depth");
    await viewer.locator("#field-value").fill("#0a7d5c");
    await choose.click();
    await soon(stateOf).toContain("depth #0a7d5c");
  });

  test("types into the parts of a date", { tags: ["long"] }, async () => {
    await held.goto(sitePage("/app/controls"));
    // The click focuses the view and the lamp; it arrives on another connection than the focus below.
    await clickOn(viewer, "#lamp");
    await soon(stateOf).toContain("lamp on");
    await held.locator("#day").focus();
    await viewer.keyboard.type("03012026");
    await soon(stateOf).toContain("day 2026-03-01");
  });

  test("uploads files to the page", { tags: ["long"] }, async () => {
    await held.goto(sitePage("/app/controls"));
    await clickOn(viewer, "#chart");
    await viewer.locator("#files[open]").waitFor();
    const soundings = Buffer.alloc(1_500_000, "fathoms ");
    await viewer.locator("#files-value").setInputFiles({ name: "bay.txt", mimeType: "text/plain", buffer: soundings });
    await viewer.getByRole("button", { name: "Upload" }).click();
    await soon(stateOf).toContain("chart bay.txt");
    const read = "document.getElementById('chart').files[0].text().then((text) => [text.length, text.slice(-8)])";
    expect(await held.evaluate(read)).toEqual([1_500_000, "fathoms "]);
    await held.evaluate("document.getElementById('chart').oncancel = () => { document.title = 'given up' }");
    await clickOn(viewer, "#chart");
    await viewer.locator("#files").getByRole("button", { name: "Cancel" }).click();
    await soon(() => held.title()).toBe("given up");
  });

  test("answers dialogs of the page", { tags: ["long"] }, async () => {
    await held.goto(sitePage("/final"));
    // With a listener that does nothing, Playwright leaves dialogs to others.
    const leave = (): void => undefined;
    held.on("dialog", leave);
    const answered = held.evaluate("prompt('What is the password?', 'fish')");
    await viewer.locator("#ask-text").fill("swordfish");
    await viewer.getByRole("button", { name: "OK" }).click();
    expect(await answered).toBe("swordfish");
    held.off("dialog", leave);
  });

  test("navigates by URL, back, forward and reload", async () => {
    await viewer.locator("#address").fill(sitePage("/lists").replace("http://", ""));
    await viewer.locator("#address").press("Enter");
    await soon(() => held.url()).toBe(sitePage("/lists"));
    await viewer.locator("#address").fill(sitePage("/code"));
    await viewer.locator("#address").press("Enter");
    await soon(() => held.url()).toBe(sitePage("/code"));
    await viewer.getByRole("button", { name: "Back" }).click();
    await soon(() => held.url()).toBe(sitePage("/lists"));
    await viewer.getByRole("button", { name: "Forward" }).click();
    await soon(() => held.url()).toBe(sitePage("/code"));
    await held.evaluate("window.mark = 1");
    await viewer.getByRole("button", { name: "Reload" }).click();
    await soon(() => held.evaluate("typeof window.mark").catch(() => "leaving")).toBe("undefined");
  });

  test("opens only http and https URLs", async () => {
    const been: string[] = [];
    const note = (frame: Frame): void => void been.push(frame.url());
    held.on("framenavigated", note);
    for (const address of ["file:///etc/hostname", "javascript:document.title='x'", "chrome://version"]) {
      await viewer.locator("#address").fill(address);
      await viewer.locator("#address").press("Enter");
      await soon(() => viewer.locator("#hint").textContent()).toContain("Only http and https");
    }
    // What the driver asks for is done in its order: the others would have come before.
    await viewer.locator("#address").fill(sitePage("/final"));
    await viewer.locator("#address").press("Enter");
    await soon(() => held.url()).toBe(sitePage("/final"));
    held.off("framenavigated", note);
    expect(been).toEqual([sitePage("/final")]);
  });

  test("opens, selects and closes tabs", { tags: ["long"] }, async () => {
    await held.goto(sitePage("/final"));
    await viewer.getByRole("button", { name: "New tab" }).click();
    await soon(() => viewer.locator("#tabs li").count()).toBe(2);
    await viewer.locator("#tabs li .name").first().click();
    await soon(() => viewer.locator("#address").inputValue()).toBe(sitePage("/final"));
    await viewer.locator("#tabs li .shut").last().click();
    await soon(() => viewer.locator("#tabs li").count()).toBe(1);
  });

  test("sends touch input", { tags: ["long"] }, async () => {
    await held.goto(sitePage("/app/controls"));
    const phone = await watch(session.interactiveLiveViewUrl, { isPhone: true });
    const { x, y } = await placeOf(phone, "#lamp");
    await phone.touchscreen.tap(x, y);
    await soon(stateOf).toContain("lamp on");
    const list = await placeOf(phone, "#buoy");
    await phone.touchscreen.tap(list.x, list.y);
    await phone.getByRole("radio", { name: "Green" }).check();
    await phone.getByRole("button", { name: "Choose" }).tap();
    await soon(stateOf).toContain("buoy green");
    const day = await placeOf(phone, "#day");
    await phone.touchscreen.tap(day.x, day.y);
    await phone.locator("#field-value").fill("2026-03-02");
    await phone.locator("#field").getByRole("button", { name: "Choose" }).tap();
    await soon(stateOf).toContain("day 2026-03-02");
    await phone.close();
  });

  test("shows other viewers the driver's pointer", { tags: ["long"] }, async () => {
    const other = await watch(session.liveViewUrl);
    const { x, y } = await placeOf(viewer, "#state");
    await soon(async () => {
      await viewer.mouse.move(x + Math.random() * 4, y);
      return other.locator("#pointer").isVisible();
    }).toBe(true);
    await other.close();
  });
});

interface Styled {
  style: { cursor: string };
}

const SIGHTS: Sight[] = [
  { colorScheme: "light" },
  { colorScheme: "dark", isPhone: true },
  { colorScheme: "light", isPhone: true },
  { colorScheme: "dark" },
];
for (const { tags, entries } of shortAndLong(SIGHTS, (_, index) => index === 1))
  test.each(entries)("the page is accessible and fits (%o)", { tags }, async (sight) => {
    const viewer = await watch(session.interactiveLiveViewUrl, sight);
    await expectAccessible(viewer);
    const canvas = await viewer.locator("#canvas").boundingBox();
    expect(canvas?.width).toBeGreaterThan(300);
    await viewer.close();
  });

describe("access to a live view", () => {
  let other: CreatedSession;
  beforeAll(async () => {
    other = await openSession();
  });

  test("needs a token of the session itself, on every path", async () => {
    const tokenOf = (url: string): string => new URL(url).searchParams.get("token") ?? "";
    const base = `${inject("serviceUrl")}/view/${session.id}`;
    const wrong = [
      "",
      "0".repeat(64),
      tokenOf(other.liveViewUrl),
      tokenOf(other.interactiveLiveViewUrl),
      tokenOf(session.cdpUrl),
    ];
    for (const token of wrong) {
      await expect(socketTo(`${base}?token=${token}`)).rejects.toThrow("404");
      expect(await (await fetch(`${base}/state?token=${token}`)).json()).toMatchObject({ state: "refused" });
      expect((await fetch(`${base}?token=${token}`)).status).toBe(404);
    }
  });

  test("ends with the session and shows a message", async () => {
    const viewer = await watch(other.interactiveLiveViewUrl);
    await endSession(other.id);
    await soon(() => viewer.locator("#cover-title").textContent()).toBe("Session ended");
    await viewer.reload();
    await soon(() => viewer.locator("#cover-title").textContent()).toBe("Session ended");
    await viewer.close();
    await expect(socketTo(other.liveViewUrl)).rejects.toThrow("410");
    expect((await fetch(other.liveViewUrl)).status).toBe(410);
    expect(await (await fetch(other.liveViewUrl.replace("?", "/state?"))).json()).toMatchObject({ state: "ended" });
  });

  test("uses a page that loads nothing from other origins and sends no referrer", async () => {
    const { headers } = await fetch(session.liveViewUrl);
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toMatch(/script-src 'sha256-[^ ']+';/);
    expect(policy).not.toContain("unsafe");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
  });
});
