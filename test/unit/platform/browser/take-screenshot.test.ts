import { expect, test, vi } from "vitest";
import type { ScreenshotOptions } from "../../../../src/core/scrape/actions.ts";
import type { PageSession } from "../../../../src/platform/browser/page/page-session.ts";
import { takeScreenshot } from "../../../../src/platform/browser/actions/take-screenshot.ts";

const EACH_MS = 10;

/** Pages of browsers that take 10 ms for a picture, and what the browsers were asked for. */
function pagesOf({ height }: { height: number }) {
  const taken: { owner: string; browserId: string; scale: number }[] = [];
  let atOnce = 0;
  let most = 0;
  const page = (owner: string, browserId: string, signal = new AbortController().signal): PageSession => {
    const send = async (method: string, params: { clip?: { scale: number } } = {}): Promise<unknown> => {
      if (method === "Page.getLayoutMetrics") {
        return { cssContentSize: { height }, cssVisualViewport: { pageX: 0, pageY: 0 } };
      }
      if (method !== "Page.captureScreenshot") return {};
      taken.push({ owner, browserId, scale: params.clip?.scale ?? 1 });
      most = Math.max(most, ++atOnce);
      await new Promise((resolve) => setTimeout(resolve, EACH_MS));
      atOnce--;
      return { data: "AAAA" };
    };
    const parts = { send, browserId, signal, owner: { teamId: owner, keyId: owner }, call: async () => undefined };
    // Taking a picture uses no more of a page than this.
    return { ...parts, remainingMs: () => 60_000, sleep: async () => undefined } as unknown as PageSession;
  };
  return { page, taken, most: () => most };
}

const shoot = (page: PageSession, options: Partial<ScreenshotOptions> = {}) =>
  takeScreenshot(page, { fullPage: true, ...options }, { mobile: false });

test("large pictures of a team in a browser are taken one after the other", async () => {
  const { page, taken, most } = pagesOf({ height: 16_000 });
  await Promise.all(Array.from({ length: 5 }, () => shoot(page("team", "one after the other"))));
  expect([taken.length, most()]).toEqual([5, 1]);
});

test("the first of another team is taken beside that of a team which has many", async () => {
  const { page, taken, most } = pagesOf({ height: 16_000 });
  const busy = Array.from({ length: 5 }, () => shoot(page("busy", "turns")));
  await Promise.all([...busy, shoot(page("quiet", "turns"))]);
  expect(most()).toBe(2);
  expect(taken.findIndex(({ owner }) => owner === "quiet")).toBe(1);
});

test("those of several browsers, and small ones, are taken beside each other", async () => {
  const large = pagesOf({ height: 16_000 });
  await Promise.all(["one", "two", "three"].map((browserId) => shoot(large.page("team", browserId))));
  expect(large.most()).toBe(3);
  const small = pagesOf({ height: 16_000 });
  await Promise.all([1, 2, 3].map(() => shoot(small.page("team", "one"), { fullPage: false })));
  expect(small.most()).toBe(3);
});

test("a page whose load has ended does not wait for its turn, and the others go on", async () => {
  const { page, taken } = pagesOf({ height: 16_000 });
  const load = new AbortController();
  const first = shoot(page("team", "ended"));
  const ended = shoot(page("team", "ended", load.signal));
  const last = shoot(page("team", "ended"));
  load.abort(new Error("over"));
  await expect(ended).rejects.toThrow();
  await Promise.all([first, last]);
  expect(taken).toHaveLength(2);
});

test.each([
  { what: "a JPEG of a whole page", height: 16_000, options: {}, scales: [1] },
  { what: "one of the best quality", height: 16_000, options: { quality: 100 }, scales: [expect.closeTo(0.18, 2), 1] },
  { what: "a smaller one of the best quality", height: 8_000, options: { quality: 100 }, scales: [1] },
  { what: "a PNG of 6 million pixels", height: 3_100, options: {}, scales: [1] },
  { what: "a PNG of 15 million pixels", height: 8_000, options: {}, scales: [expect.closeTo(0.255, 2), 1] },
])("a smaller picture is taken first where noise may not fit into a message: $what", async (row) => {
  const { page, taken } = pagesOf({ height: row.height });
  await shoot(page("team", row.what), row.options);
  expect(taken.map(({ scale }) => scale)).toEqual(row.scales);
});

test("a page that is never drawn holds up the others of its browser for ten seconds", async () => {
  vi.useFakeTimers();
  try {
    const { page, taken } = pagesOf({ height: 16_000 });
    const stuck = page("team", "stuck");
    const send = stuck.send.bind(stuck) as (method: string, params?: object) => Promise<unknown>;
    const drawn = Promise.withResolvers<unknown>();
    const hung = {
      ...stuck,
      send: (method: string) => (method === "Page.captureScreenshot" ? drawn.promise : send(method)),
    };
    const first = shoot(hung as unknown as PageSession);
    const others = Promise.all([shoot(page("team", "stuck")), shoot(page("team", "stuck"))]);
    await vi.advanceTimersByTimeAsync(9_000);
    expect(taken).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(taken).toHaveLength(2);
    await others;
    drawn.reject(new Error("The load is over"));
    await expect(first).rejects.toThrow("The load is over");
  } finally {
    vi.useRealTimers();
  }
});
