/** The time that is left for a page that was dropped while a browser was tried. */
import { expect, test } from "vitest";
import { HeldBytes } from "../../../src/core/waits/held-bytes.ts";
import type { EngineOutcome } from "../../../src/core/scrape/page.ts";
import type { Engine, PageRequest } from "../../../src/engines/engine.ts";
import { loadPage } from "../../../src/engines/waterfall.ts";

const NO_NEEDS = { provides: new Set<never>() };
const OPEN = { clean: { onlyMainContent: true, includeTags: [], excludeTags: [] }, pdf: {}, bytesOnly: false };
const REQUEST: PageRequest = {
  url: "https://a.example/", deadlineMs: 60_000, waitForMs: 0, mobile: false, headers: {}, languages: [], blockAds: true,
  skipTlsVerification: false, fastMode: false, actions: [], screenshot: undefined, needs: new Set(), ownHosts: [],
}; // prettier-ignore

/** An application shell of 100 kB. */
const SHELL: EngineOutcome = {
  kind: "loaded",
  page: {
    engine: "fetch",
    url: REQUEST.url,
    statusCode: 200,
    headers: {},
    contentType: "text/html",
    body: new TextEncoder().encode(
      `<html><head><title>App</title></head><body><div id="root"></div><script src="/app.js"></script></body></html>`.padEnd(
        100_000,
      ),
    ),
    warnings: [],
  },
};

test("a page is dropped only where the browser leaves time to load it again", async () => {
  const memory = new HeldBytes({ ofTeam: 100, inAll: 200 });
  const owner = { teamId: "team", keyId: "key" };
  memory.hold(owner, 100);
  const time = { nowMs: 0 };
  const loadWithin = async (deadlineMs: number) => {
    time.nowMs = 0;
    const loads: number[] = [];
    const fetch: Engine = {
      ...NO_NEEDS,
      engine: "fetch",
      load: async (asked) => {
        loads.push(asked.deadlineMs);
        time.nowMs += 3_000;
        const isLate = time.nowMs > asked.deadlineMs;
        return isLate ? { kind: "failed", code: "SCRAPE_TIMEOUT", message: "late" } : SHELL;
      },
    };
    const browser: Engine = {
      ...NO_NEEDS,
      engine: "browser",
      load: async (asked) => {
        loads.push(asked.deadlineMs);
        time.nowMs = asked.deadlineMs;
        return { kind: "failed", code: "SCRAPE_TIMEOUT", message: "late" };
      },
    };
    const sleep = async (): Promise<void> => undefined;
    const used = { engines: [fetch, browser], clock: { now: () => time.nowMs }, sleep, memory };
    const { view } = await loadPage(used, { ...REQUEST, owner, deadlineMs }, OPEN);
    return { loads, chars: view.loaded.body.length, held: memory.bytesOf("team") };
  };
  expect(await loadWithin(30_000)).toEqual({ loads: [30_000, 23_000, 30_000], chars: 100_000, held: 100 });
  expect(await loadWithin(10_000)).toEqual({ loads: [10_000, 10_000], chars: 100_000, held: 100 });
  const release = memory.hold(owner, 7_900_000);
  const { loads } = await loadWithin(10_000);
  expect(loads, "not far beyond the limit of memory").toEqual([10_000, 6_500, 10_000]);
  release();
});
