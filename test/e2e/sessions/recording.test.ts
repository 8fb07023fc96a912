import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { inject } from "../inject.ts";
import { expectAccessible } from "../accessible.ts";
import { endSession, holdWithPlaywright, openSession } from "./browser-client.ts";
import { call, sitePage } from "../client.ts";
import { closeContexts, localBrowser } from "../local-browser.ts";
import { makeKey } from "../account/make-key.ts";
import { soon } from "../soon.ts";
import { socketTo, type ViewerSocket } from "./viewer-socket.ts";
import { shortAndLong } from "../../sample.ts";

interface Replay {
  pages: { pageId: string; url: string; pageUrl: string; title: string; startTimeMs: number; endTimeMs: number }[];
  pageCount: number;
  isRecording: boolean;
  playerUrl: string;
  networkUrl: string;
}

interface Archive {
  log: {
    entries: {
      pageref: string;
      request: { url: string; headers: { name: string; value: string }[] };
      response: { status: number };
    }[];
  };
}

/** Counts the levels of red in the picture that is shown, of sixteen. */
const COLOURS = `(() => {
  const { width, height } = document.getElementById("canvas");
  const { data } = document.getElementById("canvas").getContext("2d").getImageData(0, 0, width, height);
  return new Set(data.filter((_, at) => at % 4 === 0).map((red) => red >> 4)).size;
})()`;

const replayOf = async (id: string): Promise<Replay> =>
  JSON.parse((await call(`/v2/browser/${id}/replay`)).text) as Replay;

describe("a recorded session", () => {
  let id: string;
  let replay: Replay;
  let person: Browser;

  beforeAll(async () => {
    person = await localBrowser();
    const session = await openSession({ recordSession: true });
    ({ id } = session);
    const { browser, context, page } = await holdWithPlaywright(session.cdpUrl);
    const viewer = await socketTo(session.liveViewUrl);
    await page.goto(sitePage("/login"));
    await page.getByLabel("Name").fill("halloran");
    await page.getByLabel("Password").fill("seven-fathoms");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL("**/account");
    await filmed(page, viewer);
    const tab = await context.newPage();
    await tab.goto(sitePage("/app/shell?ms=300"));
    await tab.waitForSelector("table");
    await tab.evaluate("fetch('/missing')");
    await filmed(tab, viewer);
    viewer.close();
    await browser.close();
    await endSession(id);
    replay = await replayOf(id);
  });
  afterAll(closeContexts);

  test("lists its pages with their times", () => {
    expect(replay).toMatchObject({ pageCount: 2, isRecording: false });
    expect(replay.pages.map(({ pageId, url }) => [pageId, url])).toEqual([
      ["0", `/v2/interact/${id}/replay/0`],
      ["1", `/v2/interact/${id}/replay/1`],
    ]);
    expect(replay.pages.map(({ pageUrl }) => pageUrl)).toEqual([sitePage("/account"), sitePage("/app/shell?ms=300")]);
    const [first, second] = replay.pages;
    expect(first?.endTimeMs).toBeGreaterThan(first?.startTimeMs ?? Infinity);
    expect(second?.startTimeMs).toBeGreaterThanOrEqual(first?.endTimeMs ?? Infinity);
  });

  test("has a playlist for each page, whose segments need no key", async () => {
    const { status, headers, text } = await playlist(replay.pages[0]?.url ?? "");
    expect({ status, type: headers.get("content-type") }).toEqual({
      status: 200,
      type: "application/vnd.apple.mpegurl",
    });
    const [, init = ""] = /#EXT-X-MAP:URI="([^"]+)"/.exec(text) ?? [];
    const parts = text.split("\n").filter((line) => line.startsWith("http"));
    expect(parts.length).toBeGreaterThan(0);
    for (const [url, type] of [
      [init, "ftyp"],
      [parts[0] ?? "", "moof"],
    ]) {
      const bytes = Buffer.from(await (await fetch(url ?? "")).arrayBuffer());
      expect(bytes.toString("latin1", 4, 8)).toBe(type);
    }
    expect(text).toMatch(/#EXT-X-ENDLIST\n$/);
  });

  test("has its requests, without credentials", async () => {
    const { log } = (await (await fetch(replay.networkUrl)).json()) as Archive;
    const seen = log.entries.map(
      ({ request, response, pageref }) => `${pageref} ${response.status} ${new URL(request.url).pathname}`,
    );
    expect(seen).toEqual(
      expect.arrayContaining(["page_0 200 /account", "page_1 200 /app/board.json", "page_1 404 /missing"]),
    );
    expect(seen.some((line) => line.includes("30"))).toBe(true);
    expect(JSON.stringify(log)).not.toContain("berth-17");
    expect(JSON.stringify(log)).not.toContain("seven-fathoms");
  });

  const sights = [
    { sight: "desk", width: 1280 },
    { sight: "phone", width: 390 },
  ];
  for (const { tags, entries } of shortAndLong(sights, ({ sight }) => sight === "desk"))
    test.each(entries)("is played by a page of its own ($sight)", { tags }, async ({ width }) => {
      const player = await openPlayer(width);
      const picture = (): Promise<unknown> => player.evaluate("document.getElementById('canvas').toDataURL()");
      const first = await picture();
      const begin = await player.locator("#seek").inputValue();
      // It begins with the page, not with the empty tab before it.
      expect(await player.evaluate<number>(COLOURS)).toBeGreaterThan(1);
      await player.getByRole("button", { name: "Play" }).click();
      await soon(picture).not.toBe(first);
      await player.getByRole("button", { name: "Pause" }).click();
      const paused = await player.locator("#seek").inputValue();
      expect(Number(paused)).toBeGreaterThan(Number(begin));
      await player.locator("#seek").fill(begin);
      await soon(picture).toBe(first);
      await player.getByLabel("Filter requests").fill("board.json");
      expect(await player.locator("#requests li:visible").count()).toBe(1);
      await player.locator("#requests li:visible button").click();
      await soon(() => player.locator("#where").textContent()).toBe(sitePage("/app/shell?ms=300"));
      await expectAccessible(player);
      await player.close();
    });

  test("is visible to its own team only, and opens with its own token only", async () => {
    const key = await makeKey({ name: "another team", teamId: crypto.randomUUID() });
    const foreign = { url: inject("serviceUrl"), key };
    expect((await call(`/v2/browser/${id}/replay`, { service: foreign })).status).toBe(404);
    expect((await call(`/v2/interact/${id}/replay/0`, { service: foreign })).status).toBe(404);
    const base = `${inject("serviceUrl")}/replay/${id}`;
    for (const path of ["", "/recording", "/network.har", "/film/0/0.m4s", "/film/0/init.mp4"]) {
      for (const token of ["", "0".repeat(64)]) expect((await fetch(`${base}${path}?token=${token}`)).status).toBe(404);
    }
  });

  test.each([
    { path: "/x1", status: 400, error: "Invalid pageId." },
    { path: "/1234", status: 400, error: "Invalid pageId." },
    { path: "/7", status: 404, error: "The recording has no such page" },
  ])("has no page $path", async ({ path, status, error }) => {
    const answer = await call(`/v2/browser/${id}/replay${path}`);
    expect({ status: answer.status, error: answer.body.error }).toEqual({ status, error });
  });

  async function openPlayer(width: number): Promise<Page> {
    const player = await person.newPage({ viewport: { width, height: 800 } });
    await player.goto(replay.playerUrl);
    await player.locator("#canvas:not([hidden])").waitFor();
    return player;
  }
});

/** Waits for frames of a page. Viewers and the recording receive the same ones. */
async function filmed(page: Page, viewer: ViewerSocket): Promise<void> {
  const patience = { timeout: 45_000, interval: 150 };
  await vi.waitUntil(() => viewer.shownUrl() === page.url(), patience);
  const before = viewer.frames();
  await vi.waitUntil(async () => {
    await page.evaluate("document.body.append('.')");
    return viewer.frames() > before + 1;
  }, patience);
}

function playlist(path: string) {
  const headers = { authorization: `Bearer ${inject("apiKey")}` };
  return fetch(`${inject("serviceUrl")}${path}`, { headers }).then(async (answer) => ({
    status: answer.status,
    headers: answer.headers,
    text: await answer.text(),
  }));
}

test("a session that is not recorded has no recording", async () => {
  const { id } = await openSession();
  expect((await call(`/v2/browser/${id}/replay`)).status).toBe(404);
  await endSession(id);
  expect((await call(`/v2/browser/${id}/replay`)).status).toBe(404);
  expect((await call(`/v2/browser/${crypto.randomUUID()}/replay`)).status).toBe(404);
});

test.each([{ recordSession: true }, { profile: { name: "x" } }])(
  "zero data retention refuses what keeps data (%o)",
  async (wish) => {
    const { status, body } = await call("/v2/browser", { body: { ...wish, zeroDataRetention: true } });
    expect({ status, error: body.error }).toEqual({ status: 400, error: expect.stringContaining("zeroDataRetention") });
  },
);
