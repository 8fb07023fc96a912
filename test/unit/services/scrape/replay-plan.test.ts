import { expect, test } from "vitest";
import { toDocumentParts } from "../../../../src/core/scrape/document-text.ts";
import { newScrapeId } from "../../../../src/core/scrape/scrape-id.ts";
import { ScrapeOptions } from "../../../../src/formats/scrape-options.ts";
import { anonymousCaller } from "../../../../src/services/account/anonymous-caller.ts";
import { readScrape } from "../../../../src/services/scrape/read-scrape.ts";
import { storeScrape } from "../../../../src/services/scrape/store-scrape.ts";
import { sessionOfScrape } from "../../../../src/services/sessions/interact-with-scrape.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";
import { memoryKeyLedger } from "../../../fakes/memory/memory-key-ledger.ts";
import { memoryPageStore } from "../../../fakes/memory/memory-page-store.ts";
import { memoryFiles } from "../../../fakes/memory/memory-scrapes.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

const URL = "https://a.example/";

/** A store of scrapes, and sessions of which none can be opened. */
function service() {
  const clock = fixedClock(Date.now());
  const plans: { replay?: object }[] = [];
  const browserSessions = {
    open: async (plan: { replay?: object }) => {
      plans.push(plan);
      throw new Error("There is no browser");
    },
  } as never;
  const sessionStore = { findByScrape: async () => undefined } as never;
  const keyLedger = memoryKeyLedger(clock);
  const keys = { find: async () => anonymousCaller().key } as never;
  const stores = { ...memoryPageStore(), files: memoryFiles() };
  const deps = testDeps({ clock, keyLedger, keys, browserSessions, sessionStore, ...stores });
  const caller = anonymousCaller();
  const store = async (script: string): Promise<string> => {
    const id = newScrapeId({ prefix: 0, shard: 0 });
    const options = ScrapeOptions.parse({ actions: [{ type: "executeJavascript", script }] });
    const request = { url: URL, apiVersion: "v2" as const, zeroDataRetention: false, options };
    const parts = toDocumentParts({ metadata: { sourceURL: URL } });
    await storeScrape(deps, caller, { id, parts, request, creditsUsed: 1, createdAtMs: clock.now() });
    return id;
  };
  const interact = async (scrapeId: string): Promise<unknown> => {
    const holdId = crypto.randomUUID();
    const admission = { mode: "scrape" as const, limit: 100, credits: 10, monthlyCredits: 100, holdId };
    await keyLedger.admit(caller.key.id, admission);
    const payer = { ...caller, creditSource: { kind: "hold" as const, holdId } };
    return await sessionOfScrape(deps, payer, { scrapeId, existingSessionId: undefined });
  };
  return { deps, caller, store, interact, plans };
}

test("a scrape of very long actions is stored, and a session that would repeat them is refused", async () => {
  const { deps, caller, store, interact, plans } = service();
  const id = await store('"'.repeat(700_000));
  expect(await readScrape(deps, caller, id)).toContain(URL);
  await expect(interact(id)).rejects.toMatchObject({ code: "REPLAY_UNAVAILABLE" });
  expect(plans).toEqual([]);
});

test("actions of moderate length are stored, and repeated by a session", async () => {
  const { store, interact, plans } = service();
  const script = '"'.repeat(240_000);
  await interact(await store(script)).catch(() => undefined);
  expect(plans).toMatchObject([{ replay: { url: URL, actions: [{ type: "executeJavascript", script }] } }]);
});
