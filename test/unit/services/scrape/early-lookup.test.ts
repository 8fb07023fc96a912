import { expect, test, vi } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import { ScrapeOptions } from "../../../../src/formats/scrape-options.ts";
import { anonymousCaller } from "../../../../src/services/account/anonymous-caller.ts";
import { V2_DEFAULTS } from "../../../../src/services/scrape/scrape-plan.ts";
import { scrapePage } from "../../../../src/services/scrape/scrape-page.ts";
import { emptyPageCache, memoryFiles, memoryScrapes } from "../../../fakes/memory/memory-scrapes.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

const REQUEST = {
  url: "https://a.example/",
  options: ScrapeOptions.parse({}),
  defaults: V2_DEFAULTS,
  apiVersion: "v2" as const,
  zeroDataRetention: false,
  publicOrigin: "https://api.example",
};

/** Scrapes a page whose cache is looked up for as long as the credits are taken. */
function scrape({ find, takeCredits }: { find?: () => Promise<undefined>; takeCredits(): Promise<void> }) {
  const events: string[] = [];
  const deps = testDeps({
    scrapes: memoryScrapes(),
    files: memoryFiles(),
    pageCache: {
      ...emptyPageCache(),
      async find() {
        events.push("lookup");
        return await find?.();
      },
    },
    engines: [
      {
        engine: "fetch",
        provides: new Set(),
        async load({ url }) {
          events.push("load");
          const page = { engine: "fetch" as const, url, statusCode: 200, headers: {}, contentType: "text/html", body: "<p>Tide</p>", warnings: [] };
          return { kind: "loaded", page };
        },
      },
    ],
  }); // prettier-ignore
  const payer = { ...anonymousCaller(), creditSource: { kind: "hold" as const, holdId: "h" } };
  const done = scrapePage(deps, payer, REQUEST, async () => {
    // However long it takes to begin on a busy machine.
    await vi.waitFor(() => expect(events).toContain("lookup"), { timeout: 20_000, interval: 5 });
    events.push("credits");
    await takeCredits();
  });
  return { events, done };
}

test("the cache is looked up beside the admission, and nothing is loaded before it", async () => {
  const { events, done } = scrape({ takeCredits: async () => undefined });
  await done;
  expect(events).toEqual(["lookup", "credits", "load"]);
});

test("a refusal comes before a failure of the lookup, and nothing is loaded", async () => {
  const refusal = new AppError("INSUFFICIENT_CREDITS");
  const { events, done } = scrape({
    find: async () => {
      throw new Error("The store is down");
    },
    takeCredits: async () => {
      throw refusal;
    },
  });
  await expect(done).rejects.toBe(refusal);
  expect(events).toEqual(["lookup", "credits"]);
});

test("a lookup that fails is a cache without the page", async () => {
  const { events, done } = scrape({
    find: async () => {
      throw new Error("The store is down");
    },
    takeCredits: async () => undefined,
  });
  await expect(done).resolves.toMatchObject({ document: { markdown: expect.stringContaining("Tide") } });
  expect(events).toEqual(["lookup", "credits", "load"]);
});
