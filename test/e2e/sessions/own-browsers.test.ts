import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call, sitePage } from "../client.ts";
import { startService, type TestService } from "../service.ts";
import { soon } from "../soon.ts";
import { endSession, holdWithPlaywright, openSession } from "./browser-client.ts";
import { startOwnChromium, type OwnChromium } from "./own-chromium.ts";
import { socketTo } from "./viewer-socket.ts";

/** The time zones of the browsers tell them from those of this machine. */
const [PAGES_ZONE, SESSIONS_ZONE] = ["Asia/Tokyo", "Pacific/Auckland"];
let pages: OwnChromium;
let sessions: OwnChromium;
let service: TestService;

beforeAll(async () => {
  [pages, sessions] = await Promise.all([startOwnChromium(PAGES_ZONE), startOwnChromium(SESSIONS_ZONE)]);
  const settings = {
    BROWSER_CDP_URLS: pages.url,
    BROWSER_CDP_SESSION_URLS: sessions.url,
    BROWSER_TABS_PER_BROWSER: "1",
    // Of the platform, beside the one of the operator.
    BROWSER_MAX_BROWSERS: "1",
  };
  service = await startService({ settings });
});
afterAll(async () => {
  await service.stop();
  await Promise.all([pages.stop(), sessions.stop()]);
});

/** Loads a page in a browser. @returns the browser's time zone, or the error */
async function load(): Promise<string> {
  const body = { url: sitePage("/final"), waitFor: 1, maxAge: 0 };
  const { body: answer } = await call("/v2/scrape", { body, service });
  return String(answer.data?.metadata["timezone"] ?? answer.code);
}

describe("a browser of one's own", () => {
  test("loads pages, and keeps nothing of them", async () => {
    expect([await load(), await load()]).toEqual([PAGES_ZONE, PAGES_ZONE]);
    await soon(async () => {
      const targets = (await (await fetch(`${pages.url}/json/list`)).json()) as { type: string; url: string }[];
      return targets.filter(({ url }) => url.startsWith(sitePage("/")));
    }).toEqual([]);
    expect(pages.starts()).toBe(1);
  });

  test("keeps to the outbound policy", async () => {
    const page = `/redirect-to?url=${encodeURIComponent("http://10.0.0.1/")}`;
    const { body } = await call("/v2/scrape", { body: { url: sitePage(page), waitFor: 1, maxAge: 0 }, service });
    expect(body.code).toBe("SAFE_MODE_BLOCKED");
  });

  test("has a session with live view and recording, and is started afresh for the next one", async () => {
    const session = await openSession({ recordSession: true }, service);
    const { browser, page } = await holdWithPlaywright(session.cdpUrl);
    expect(await page.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone")).toBe(SESSIONS_ZONE);
    await page.goto(sitePage("/final"));
    await page.evaluate("document.cookie = 'left=behind; max-age=600'");
    await expect(page.evaluate("fetch('http://10.0.0.1/')")).rejects.toThrow();
    const viewer = await socketTo(session.liveViewUrl);
    await soon(() => viewer.shownUrl()).toBe(sitePage("/final"));
    await soon(async () => {
      await page.evaluate("document.body.append('.')");
      return viewer.frames();
    }).toBeGreaterThan(2);
    viewer.close();
    await browser.close();
    await endSession(session.id, service);
    const replay = JSON.parse((await call(`/v2/browser/${session.id}/replay`, { service })).text) as {
      pageCount: number;
    };
    expect(replay.pageCount).toBeGreaterThan(0);
    await soon(() => sessions.starts()).toBe(2);
    await soon(() =>
      fetch(`${sessions.url}/json/version`).then(
        ({ ok }) => ok,
        () => false,
      ),
    ).toBe(true);

    const next = await openSession({}, service);
    const held = await holdWithPlaywright(next.cdpUrl);
    await held.page.goto(sitePage("/final"));
    expect(await held.page.evaluate("document.cookie")).not.toContain("left=behind");
    await held.browser.close();
    await endSession(next.id, service);
  });

  test(
    "that is dead is left out, and used again when it is back, also while loads need all browsers",
    { tags: ["long"] },
    async () => {
      await pages.halt();
      const seen: string[] = [];
      const over = new AbortController();
      const keepLoading = async (): Promise<void> => {
        while (!over.signal.aborted) seen.push(await load());
      };
      const loading = Promise.all(Array.from({ length: 3 }, keepLoading));
      try {
        // The first load may have found the browser dead.
        await soon(() => seen.length).toBeGreaterThan(6);
        expect(seen.slice(3).join(" ")).not.toMatch(/SCRAPE_/);
        expect(seen.slice(3)).not.toContain(PAGES_ZONE);
        await pages.resume();
        await soon(() => seen).toContain(PAGES_ZONE);
      } finally {
        over.abort();
        await loading;
      }
    },
  );

  test(
    "that is back is used again while the browser of the platform could load all pages alone",
    { tags: ["long"] },
    async () => {
      await pages.halt();
      await soon(load).not.toMatch(/^(?:SCRAPE_|Asia)/);
      await pages.resume();
      await soon(load).toBe(PAGES_ZONE);
    },
  );
});
