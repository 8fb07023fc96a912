import { expect, test } from "vitest";
import { call, sitePage } from "../client.ts";
import { endSession, holdWithPlaywright, openSession } from "./browser-client.ts";
import { soon } from "../soon.ts";
import { socketTo } from "./viewer-socket.ts";

const OWN_SIZE = "1280x720, picture 1280x720";

test(
  "a session keeps its size in the live view when drivers come and leave",
  { tags: ["long"], timeout: 120_000 },
  async () => {
    const { id, cdpUrl, liveViewUrl } = await openSession({ ttl: 300 });
    const viewer = await socketTo(liveViewUrl);
    const run = (code: string) => call(`/v2/browser/${id}/execute`, { body: { language: "node", code } });
    await run(`await page.goto(${JSON.stringify(sitePage("/counter?key=size"))})`);
    await soon(() => viewer.frames()).toBeGreaterThan(0);
    for (let runs = 0; runs < 3; runs++) await run(`await page.evaluate("document.body.append('${runs} ')")`);
    const { browser, page } = await holdWithPlaywright(cdpUrl);
    await page.goto(sitePage("/final"));
    await browser.close();
    await run("await page.evaluate(\"document.body.style.background = 'teal'\")");
    await settle();
    expect(new Set(viewer.sizes())).toEqual(new Set([OWN_SIZE]));

    // A driver's own size is shown while it is there.
    const other = await holdWithPlaywright(cdpUrl);
    await other.page.setViewportSize({ width: 600, height: 500 });
    await soon(() => viewer.sizes().at(-1)).toBe("600x500, picture 600x500");
    const before = viewer.frames();
    await other.browser.close();
    await soon(() => viewer.sizes().at(-1)).toBe(OWN_SIZE);
    await settle();
    const after = viewer.sizes().slice(before);
    expect(after.slice(after.indexOf(OWN_SIZE)).every((size) => size === OWN_SIZE)).toBe(true);
    expect(after.every((size) => size === OWN_SIZE || size === "600x500, picture 600x500")).toBe(true);
    viewer.close();
    await endSession(id);
  },
);

/** Frames of the browser's own size came within half a second of the end of a driver. */
async function settle(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 1_500));
}
