import { converterHash } from "#converter";
import { expect, test, vi } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import type { Task } from "../../../../src/core/jobs/task.ts";
import { READ_AS_FILE } from "../../../../src/core/scrape/page.ts";
import { Meter } from "../../../../src/core/account/meter.ts";
import type { Engine } from "../../../../src/engines/engine.ts";
import { FairConversions } from "../../../../src/engines/fair-conversions.ts";
import { ScrapeOptions } from "../../../../src/formats/scrape-options.ts";
import { anonymousCaller } from "../../../../src/services/account/anonymous-caller.ts";
import { documentShape } from "../../../../src/services/scrape/document-shape.ts";
import { planPage } from "../../../../src/services/scrape/plan-page.ts";
import { STORE_WAIT_MS } from "../../../../src/services/scrape/run-scrape.ts";
import { scrapeLater, scrapePromised } from "../../../../src/services/scrape/scrape-later.ts";
import { readScrape } from "../../../../src/services/scrape/read-scrape.ts";
import { estimateCredits } from "../../../../src/services/scrape/scrape-credits.ts";
import { scrapePage, type ScrapeRequest } from "../../../../src/services/scrape/scrape-page.ts";
import { V2_DEFAULTS } from "../../../../src/services/scrape/scrape-plan.ts";
import { keepDeadLetters } from "../../../../src/services/upkeep/keep-dead-letters.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";
import { memoryKeyLedger } from "../../../fakes/memory/memory-key-ledger.ts";
import { memoryPageStore } from "../../../fakes/memory/memory-page-store.ts";
import { memoryFiles } from "../../../fakes/memory/memory-scrapes.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

/** A service with real stores, whose one page is another at each visit. */
function service(warnings: readonly string[] = []) {
  const clock = fixedClock(Date.now());
  const meter = new Meter();
  const counts = { loads: 0, conversions: 0, writes: 0 };
  const engine: Engine = {
    engine: "fetch",
    provides: new Set(),
    load: async ({ url }) => ({
      kind: "loaded",
      page: {
        engine: "fetch", url, statusCode: 200, headers: {}, contentType: "text/html", warnings: [...warnings],
        body: `<title>Webs</title><main><h1>Visit ${++counts.loads}</h1>${"<p>Orb-weavers build <a href='/anew'>anew</a>.</p>".repeat(12)}</main>`,
      },
    }),
  }; // prettier-ignore
  const conversions = new FairConversions();
  const stores = memoryPageStore();
  vi.spyOn(conversions, "admit").mockImplementation(async () => void counts.conversions++);
  const insert = stores.scrapes.insert.bind(stores.scrapes);
  stores.scrapes.insert = async (scrape) => {
    counts.writes++;
    await insert(scrape);
  };
  const logged: object[] = [];
  const deferred: Promise<unknown>[] = [];
  const deps = testDeps({
    clock, meter, conversions, ...stores, keyLedger: memoryKeyLedger(clock, meter), files: memoryFiles(), engines: [engine],
    defer: (work) => void deferred.push(work.catch(() => undefined)),
    sleep: async (ms) => await new Promise((resolve) => setTimeout(resolve, ms)),
    log: (event) => void logged.push(event),
    settings: { indexRetentionMs: 0 },
  }); // prettier-ignore
  const caller = anonymousCaller();
  const scrape = async (options: object = {}, more: Partial<ScrapeRequest> = {}) => {
    const request: ScrapeRequest = {
      url: "https://a.example/", options: ScrapeOptions.parse(options), defaults: V2_DEFAULTS, apiVersion: "v2",
      zeroDataRetention: false, publicOrigin: "https://api.example", ...more,
    }; // prettier-ignore
    const holdId = crypto.randomUUID();
    const credits = estimateCredits(request);
    await deps.keyLedger.admit(caller.key.id, { mode: "scrape", limit: 100, credits, monthlyCredits: 100, holdId });
    const result = await scrapePage(deps, { ...caller, creditSource: { kind: "hold", holdId } }, request);
    await Promise.all(deferred.splice(0));
    return result;
  };
  const readBack = (id: string) => readScrape(deps, caller, id);
  return {
    scrape,
    readBack,
    counts,
    clock,
    logged,
    deps,
    caller,
    scrapes: stores.scrapes,
    pageCache: stores.pageCache,
  };
}

test("a repeated scrape returns the document without converting and without a write, and it can be read by its id", async () => {
  const { scrape, readBack, counts, clock } = service();
  const first = await scrape();
  clock.advance(60_000);
  const second = await scrape();
  expect(counts).toEqual({ loads: 1, conversions: 0, writes: 1 });
  expect(second.document).toMatchObject({
    markdown: first.document.markdown,
    metadata: { title: "Webs", cacheState: "hit", engine: "cache", scrapeId: second.id, creditsUsed: 1 },
  });
  expect(second.document.metadata.cachedAt).toBe(new Date(clock.now() - 60_000).toISOString());
  expect(second.id).not.toBe(first.id);
  expect(await readBack(first.id)).toBe(first.json);
  expect(await readBack(second.id)).toBe(second.json);
});

test("another format is derived once more from the cached page, and is returned as it is from then on", async () => {
  const { scrape, readBack, counts } = service();
  await scrape();
  const html = await scrape({ formats: ["html", "links"] });
  expect(counts).toEqual({ loads: 1, conversions: 1, writes: 2 });
  expect(html.document).toMatchObject({ html: expect.stringContaining("Visit 1"), links: ["https://a.example/anew"] });
  const again = await scrape({ formats: ["html", "links"] });
  const markdown = await scrape();
  expect(counts).toEqual({ loads: 1, conversions: 1, writes: 2 });
  expect(again.document.html).toBe(html.document.html);
  expect(markdown.document.markdown).toContain("Visit 1");
  for (const { id, json } of [html, again, markdown]) expect(await readBack(id)).toBe(json);
});

test("options that shape the document are part of what is repeated", async () => {
  const { scrape, counts } = service();
  await scrape();
  const others = [
    { onlyMainContent: false },
    { excludeTags: ["h1"] },
    { redactPII: true },
    { removeBase64Images: false },
  ];
  for (const options of others) await scrape(options);
  expect(counts.conversions).toBe(others.length);
  expect((await scrape({ excludeTags: ["h1"] })).document.markdown).not.toContain("Visit");
  expect((await scrape({}, { url: "https://a.example/#top" })).document.metadata.sourceURL).toBe(
    "https://a.example/#top",
  );
  expect(counts).toMatchObject({ loads: 1, conversions: others.length + 1 });
});

test("the document of another converter has another shape, and is derived again", async () => {
  const { deps } = service();
  const request = { url: "https://a.example/", options: ScrapeOptions.parse({}), defaults: V2_DEFAULTS };
  const shaped = { ...request, zeroDataRetention: false };
  const plan = planPage(deps, shaped);
  const own = await documentShape(plan, shaped, "team");
  expect(await documentShape(plan, shaped, "team", converterHash)).toBe(own);
  expect(await documentShape(plan, shaped, "team", "another")).not.toBe(own);
});

test("a new version of the page replaces every document of the one before", async () => {
  const { scrape, readBack, clock } = service();
  const old = await scrape();
  clock.advance(1_000);
  await scrape({ maxAge: 0, formats: ["links"] });
  expect((await scrape()).document.markdown).toContain("Visit 2");
  expect(await readBack(old.id)).toBe(old.json);
});

test("maxAge, minAge and lockdown bound a repeated document as they bound a page", async () => {
  const { scrape, clock } = service();
  await scrape();
  clock.advance(10_000);
  await expect(scrape({ minAge: 10_001 })).rejects.toMatchObject({ code: "SCRAPE_NO_CACHED_DATA" });
  expect((await scrape({ minAge: 10_000 })).document.metadata.cacheState).toBe("hit");
  expect((await scrape({ lockdown: true })).document.metadata).toMatchObject({ cacheState: "hit", creditsUsed: 5 });
  expect((await scrape({ maxAge: 9_999 })).document).toMatchObject({
    markdown: expect.stringContaining("Visit 2"),
    metadata: { cacheState: "miss" },
  });
});

test("requests with headers neither receive a document nor leave one", async () => {
  const { scrape, counts } = service();
  const personal = { headers: { Cookie: "session=1" } };
  await scrape(personal);
  expect((await scrape()).document.metadata.cacheState).toBe("miss");
  expect((await scrape(personal)).document.metadata.cacheState).toBeUndefined();
  expect(counts.loads).toBe(3);
});

test("zero data retention leaves nothing that its id could read, also of a repeat", async () => {
  const { scrape, readBack, counts } = service();
  await scrape();
  const { id, document } = await scrape({}, { zeroDataRetention: true });
  expect(document.metadata.cacheState).toBe("hit");
  expect(counts.writes).toBe(1);
  await expect(readBack(id)).rejects.toMatchObject({ code: "JOB_NOT_FOUND" });
});

test("a result that cannot be stored is returned with a warning", async () => {
  const { scrape, scrapes, logged } = service();
  scrapes.insert = () => Promise.reject(new Error("The database is full"));
  const { document, json } = await scrape();
  expect(document).toMatchObject({
    markdown: expect.stringContaining("Visit 1"),
    warning: expect.stringContaining("could not be stored"),
  });
  expect(JSON.parse(json)).toEqual(document);
  expect(logged).toContainEqual({ event: "scrape_not_stored", message: "Error: The database is full" });
});

test("a cache that does not answer makes the page load, with a warning", async () => {
  const { scrape, pageCache } = service();
  pageCache.find = () => Promise.reject(new Error("overloaded"));
  const { document } = await scrape();
  expect(document).toMatchObject({
    markdown: expect.stringContaining("Visit 1"),
    warning: expect.stringContaining("cache did not answer"),
  });
  await expect(scrape({ lockdown: true })).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
});

test("a warning that the cache did not answer is not given to later scrapes", async () => {
  const { scrape, pageCache, counts } = service();
  const answer = vi.spyOn(pageCache, "find").mockRejectedValueOnce(new Error("overloaded"));
  expect((await scrape()).document.warning).toContain("cache did not answer");
  for (let repeat = 0; repeat < 2; repeat++) {
    const { document } = await scrape();
    expect(document).toMatchObject({ metadata: { cacheState: "hit" } });
    expect(document.warning).toBeUndefined();
  }
  expect(counts.loads).toBe(1);
  expect(answer).toHaveBeenCalledTimes(3);
});

test("a document with a warning about its own request is not given to later scrapes, and its page is", async () => {
  const { scrape, counts } = service([READ_AS_FILE]);
  expect((await scrape()).document.warning).toContain("had no effect");
  for (let repeat = 0; repeat < 2; repeat++) {
    const { document } = await scrape();
    expect(document).toMatchObject({ metadata: { cacheState: "hit" } });
    expect(document.warning).toBeUndefined();
  }
  expect(counts.loads).toBe(1);
});

/** Queues a scrape of a page. */
async function queued(
  { deps, caller }: Pick<ReturnType<typeof service>, "deps" | "caller">,
  more: Partial<ScrapeRequest> = {},
) {
  const tasks: Task[] = [];
  const request = {
    url: "https://a.example/", options: ScrapeOptions.parse({}), defaults: V2_DEFAULTS, apiVersion: "v2" as const,
    zeroDataRetention: false, publicOrigin: "https://api.example", ...more,
  }; // prettier-ignore
  const queue = { send: async () => {}, sendAll: async (sent: readonly Task[]) => void tasks.push(...sent) };
  const {
    ids: [id = ""],
  } = await scrapeLater({ ...deps, tasks: queue }, caller, [request]);
  const [task] = tasks;
  if (task?.type !== "scrape_page") throw new Error("No scrape was queued");
  return { id, task };
}

test("a queued scrape that a crash left without a charge is charged by its second delivery, once", async () => {
  const { deps, caller } = service();
  const { task } = await queued({ deps, caller });
  const { record } = deps.keyLedger;
  deps.keyLedger.record = () => Promise.reject(new Error("The isolate has ended"));
  await expect(scrapePromised(deps, task)).rejects.toThrow("The isolate has ended");
  Object.assign(deps.keyLedger, { record });
  const recorded = async () => await deps.keyLedger.usageDays(caller.key.id, "2000-01-01", "2999-12-31");
  expect(await recorded()).toHaveLength(0);
  for (let delivery = 0; delivery < 3; delivery++) await scrapePromised(deps, task);
  expect(await recorded()).toMatchObject([{ totals: { requests: 1, pages: 1, receipt: { credits: 1 } } }]);
  expect(await deps.keyLedger.usage(caller.key.id)).toMatchObject({ creditsUsed: 1 });
});

test.each([
  { version: "this one", isPending: true, warning: "another text" },
  { version: "one before", isPending: undefined, warning: "This page is still being scraped; try again in a moment." },
])("the placeholder of a queued scrape of $version is replaced by the page", async ({ isPending, warning }) => {
  const { deps, caller, scrapes, readBack } = service();
  const insert = vi.spyOn(scrapes, "insert");
  const { id, task } = await queued({ deps, caller });
  const [kept] = insert.mock.calls[0] ?? [];
  if (kept === undefined) throw new Error("No placeholder was stored");
  expect(kept.record.isPending).toBe(true);
  const { isPending: _, ...record } = kept.record;
  const fields = kept.document.fields.replace(/"This page is still[^"]*"/, JSON.stringify(warning));
  await scrapes.insert({
    ...kept,
    record: isPending === undefined ? record : { ...record, isPending },
    document: { ...kept.document, fields },
  });
  expect(await readBack(id)).toContain(warning);
  await scrapePromised(deps, task);
  expect(await readBack(id)).toContain("Visit");
});

test("a queued scrape that cannot be stored fails without a charge, and its repeat stores it", async () => {
  const { deps, caller, readBack, scrapes, logged } = service();
  const { id, task } = await queued({ deps, caller });
  const store = vi.spyOn(scrapes, "insert").mockImplementationOnce(async () => {
    // Longer than a result waits for its store.
    await new Promise((resolve) => setTimeout(resolve, STORE_WAIT_MS * 2));
    throw new Error("The object was reset");
  });
  await expect(scrapePromised(deps, task)).rejects.toThrow("could not be stored");
  expect(logged).toContainEqual({ event: "scrape_not_stored", message: "Error: The object was reset" });
  expect(await readBack(id)).toContain("still being scraped");
  expect((await deps.keyLedger.usageDays(caller.key.id, "2000-01-01", "2999-12-31")).length).toBe(0);
  await scrapePromised(deps, task);
  expect(await readBack(id)).toContain("Visit");
  expect(store).toHaveBeenCalledTimes(2);
  expect(await deps.keyLedger.usage(caller.key.id)).toMatchObject({ creditsUsed: 1 });
});

test("a delivery of a queued scrape that fails leaves the page of another delivery alone", async () => {
  const { deps, caller, readBack } = service();
  const { id, task } = await queued({ deps, caller });
  const load: Engine["load"] = async () => {
    await scrapePromised({ ...deps, meter: new Meter() }, task);
    return { kind: "failed", code: "SCRAPE_SSL_ERROR", message: "The certificate has expired" };
  };
  await scrapePromised({ ...deps, engines: deps.engines.map((engine) => ({ ...engine, load })) }, task);
  expect(await readBack(id)).toContain("Visit");
  expect(await deps.keyLedger.usage(caller.key.id)).toMatchObject({ creditsUsed: 1 });
  const days = await deps.keyLedger.usageDays(caller.key.id, "2000-01-01", "2999-12-31");
  expect(days).toMatchObject([{ totals: { requests: 1, pages: 1, receipt: { credits: 1 } } }]);
});

test("a queued scrape that was given up is stored as a failure, and one that has its page stays as it is", async () => {
  const { deps, caller, readBack } = service();
  const { id, task } = await queued({ deps, caller });
  const stored = await queued({ deps, caller });
  await scrapePromised(deps, stored.task);
  const deadLetters = { insert: async () => undefined, count: async () => 0, purge: async () => 0 };
  const messages = [task, stored.task].map((body) => ({ id: body.request.id, body }));
  for (let delivery = 0; delivery < 2; delivery++) await keepDeadLetters({ ...deps, deadLetters }, messages);
  expect(JSON.parse(await readBack(id))).toEqual({
    metadata: { sourceURL: "https://a.example/", scrapeId: id, statusCode: 500, error: "An unexpected error occurred" },
  });
  expect(await readBack(stored.id)).toContain("Visit");
});

test.each([false, true])(
  "a queued scrape that was given up gives its credits back and is recorded once, zero data retention %s",
  async (zeroDataRetention) => {
    const { deps, caller } = service();
    const { task } = await queued({ deps, caller }, { zeroDataRetention });
    const load = () => Promise.reject(new TypeError("load is not a function"));
    const failing = { ...deps, engines: deps.engines.map((engine) => ({ ...engine, load })) };
    await expect(scrapePromised(failing, task)).rejects.toThrow("load is not a function");
    const creditsUsed = zeroDataRetention ? 2 : 1;
    expect(await deps.keyLedger.usage(caller.key.id)).toMatchObject({ creditsUsed });
    const { record } = deps.keyLedger;
    const deadLetters = { insert: async () => undefined, count: async () => 0, purge: async () => 0 };
    const deliver = async () => await keepDeadLetters({ ...deps, deadLetters }, [{ id: "message", body: task }]);
    deps.keyLedger.record = () => Promise.reject(new Error("The isolate has ended"));
    await expect(deliver()).rejects.toThrow("The isolate has ended");
    Object.assign(deps.keyLedger, { record });
    for (let delivery = 0; delivery < 3; delivery++) await deliver();
    expect(await deps.keyLedger.usage(caller.key.id)).toMatchObject({ creditsUsed: 0 });
    const days = await deps.keyLedger.usageDays(caller.key.id, "2000-01-01", "2999-12-31");
    expect(days).toMatchObject([{ totals: { requests: 1, errors: 1, pages: 0, receipt: { credits: 0 } } }]);
  },
);

test("a queued scrape that is given up after its page was stored is charged", async () => {
  const { deps, caller, readBack } = service();
  const { id, task } = await queued({ deps, caller });
  const { record } = deps.keyLedger;
  deps.keyLedger.record = () => Promise.reject(new Error("The isolate has ended"));
  await expect(scrapePromised(deps, task)).rejects.toThrow("The isolate has ended");
  Object.assign(deps.keyLedger, { record });
  const deadLetters = { insert: async () => undefined, count: async () => 0, purge: async () => 0 };
  const messages = [{ id: "message", body: task }];
  for (let delivery = 0; delivery < 2; delivery++) await keepDeadLetters({ ...deps, deadLetters }, messages);
  expect(await readBack(id)).toContain("Visit");
  const days = await deps.keyLedger.usageDays(caller.key.id, "2000-01-01", "2999-12-31");
  expect(days).toMatchObject([{ totals: { requests: 1, errors: 0, pages: 1, receipt: { credits: 1 } } }]);
});

test.each([
  ["the ledger is away", "ledger", new AppError("SERVICE_UNAVAILABLE")],
  ["a part of the service is away", "page", new AppError("SERVICE_UNAVAILABLE")],
  ["an error is unexpected", "page", new TypeError("load is not a function")],
])("a queued scrape is run again when %s, and charged once", async (_what, where, error) => {
  const { deps, caller, readBack } = service();
  const { id, task } = await queued({ deps, caller });
  const { holdOnce } = deps.keyLedger;
  const load = () => Promise.reject(error);
  const failing = { ...deps, meter: new Meter(), engines: deps.engines.map((engine) => ({ ...engine, load })) };
  if (where === "ledger") deps.keyLedger.holdOnce = load;
  await expect(scrapePromised(where === "page" ? failing : deps, task)).rejects.toThrow(error.message);
  Object.assign(deps.keyLedger, { holdOnce });
  expect(await readBack(id)).toContain("still being scraped");
  await scrapePromised(deps, task);
  expect(await readBack(id)).toContain("Visit");
  expect(await deps.keyLedger.usage(caller.key.id)).toMatchObject({ creditsUsed: 1 });
});
