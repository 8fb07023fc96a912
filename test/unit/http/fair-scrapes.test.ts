import { expect, test } from "vitest";
import type { EngineOutcome } from "../../../src/core/scrape/page.ts";
import type { Owner } from "../../../src/core/fair-order.ts";
import type { Engine } from "../../../src/engines/engine.ts";
import { FairAdmission } from "../../../src/core/waits/fair-admission.ts";
import { fixedClock } from "../../fakes/fixed-clock.ts";
import { memoryKeyLedger } from "../../fakes/memory/memory-key-ledger.ts";
import { emptyPageCache, memoryFiles, memoryScrapes } from "../../fakes/memory/memory-scrapes.ts";
import { insertTeamKeys } from "../../fakes/services/insert-team-keys.ts";
import { testApp } from "../../fakes/services/test-app.ts";
import { testDeps } from "../../fakes/services/test-deps.ts";

const PLACES = 3;
/** A busy machine takes seconds to read 400 requests. */
const BUSY = { timeout: 60_000 };

/** The service with two teams, whose sites answer when they are told to. */
async function twoTeams() {
  const loading: { url: string; owner: Owner | undefined; answer(): void }[] = [];
  let isOpen = false;
  const engine: Engine = {
    engine: "fetch",
    provides: new Set(),
    load: ({ url, owner }) =>
      new Promise<EngineOutcome>((resolve) => {
        const body = `<article>${"<p>Orb-weavers build anew each evening.</p>".repeat(12)}</article>`;
        const page = { engine: "fetch" as const, url, statusCode: 200, headers: {}, contentType: "text/html" };
        const answer = (): void => resolve({ kind: "loaded", page: { ...page, body, warnings: [] } });
        loading.push({ url, owner, answer });
        if (isOpen) answer();
      }),
  };
  // Waits end by the real time.
  const clock = fixedClock(Date.now());
  const keyLedger = memoryKeyLedger(clock);
  const admission = new FairAdmission({ places: PLACES, isProcessorBusy: () => true });
  const stores = { scrapes: memoryScrapes(), pageCache: emptyPageCache(), files: memoryFiles() };
  const deps = testDeps({ clock, keyLedger, admission, engines: [engine], ...stores, sleep: () => new Promise(setImmediate) }); // prettier-ignore
  const keys = { busy: `fc-${"b".repeat(32)}`, quiet: `fc-${"c".repeat(32)}` };
  await insertTeamKeys(deps, keys);
  const app = testApp(deps);
  const scrape = (team: keyof typeof keys, page: number) =>
    app.post("/v2/scrape", { url: `https://${team}.example/${page}`, maxAge: 0 }, { key: keys[team] });
  const open = (): void => {
    isOpen = true;
    for (const { answer } of loading) answer();
  };
  return { scrape, loading, open, keyLedger };
}

test("the first scrape of a team is loaded at once beside 400 of another team, which are asked for one by one", async () => {
  const { scrape, loading, open, keyLedger } = await twoTeams();
  const answers = Array.from({ length: 400 }, (_, page) => scrape("busy", page));
  await expect.poll(() => loading.length, BUSY).toBe(PLACES);
  // Requests that wait have cost one look at their key, and nothing else.
  expect(keyLedger.calls).toBe(PLACES);
  const first = scrape("quiet", 0);
  await expect.poll(() => loading.map(({ url }) => new URL(url).hostname).at(-1), BUSY).toBe("quiet.example");
  expect(loading).toHaveLength(PLACES + 1);
  // A browser, of which there are fewer than places, is granted by the same order.
  expect(loading.map(({ owner }) => owner?.teamId)).toEqual([...Array<string>(PLACES).fill("busy"), "quiet"]);

  loading.at(-1)?.answer();
  expect((await first).status).toBe(200);
  open();
  expect(new Set((await Promise.all(answers)).map(({ status }) => status))).toEqual(new Set([200]));
});
