import { describe, expect, test } from "vitest";
import { ApiKey } from "../../../../src/core/account/api-key.ts";
import { AppError } from "../../../../src/core/errors.ts";
import { Meter } from "../../../../src/core/account/meter.ts";
import type { Task } from "../../../../src/core/jobs/task.ts";
import type { SearchQuery } from "../../../../src/search/provider.ts";
import { NotAllSent } from "../../../../src/ports/task-queue.ts";
import { HeldBytes } from "../../../../src/core/waits/held-bytes.ts";
import type { EngineOutcome } from "../../../../src/core/scrape/page.ts";
import { runTask } from "../../../../src/services/upkeep/run-task.ts";
import { NO_STYLES } from "../../../fakes/no-styles.ts";
import { hit, page, searchService } from "../../../fakes/services/search-service.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe("a search that scrapes", () => {
  const scrapeOptions = { formats: ["markdown", "links"] };

  test("merges the documents into their items", async () => {
    const { search, scrapes } = searchService([hit("https://a.example/1"), hit("https://a.example/2")]);
    const { answer } = await search({ scrapeOptions });
    const [first, second] = answer.data.web;
    expect(first).toMatchObject({
      url: "https://a.example/1",
      title: "https://a.example/1",
      position: 1,
      links: [],
      metadata: { title: "At https://a.example/1", statusCode: 200, scrapeId: expect.stringMatching(UUID) },
    });
    expect(first?.markdown).toContain("The ferry to Skell leaves at nine.");
    expect(second?.metadata.sourceURL).toBe("https://a.example/2");
    expect(answer.creditsUsed).toBe(4);
    expect([...scrapes.records.keys()]).toContain(first?.metadata.scrapeId);
  });

  test("describes items by the passages that answer the query", async () => {
    const { search } = searchService([hit("https://a.example/1")]);
    const { answer } = await search({ scrapeOptions });
    expect(answer.data.web[0]?.description).toBe("The ferry to Skell leaves at nine.");
    const { answer: plain } = await search({ scrapeOptions, highlights: false });
    expect(plain.data.web[0]?.description).toBe("As found");
  });

  test("keeps an item whose page fails, with the error", async () => {
    const failed: EngineOutcome = { kind: "failed", code: "SCRAPE_SSL_ERROR", message: "The certificate has expired" };
    const { search } = searchService([hit("https://bad.example/"), hit("https://a.example/1")], {
      pages: { "https://bad.example/": failed },
    });
    const { status, answer } = await search({ scrapeOptions });
    expect(status).toBe(200);
    const [first, second] = answer.data.web;
    expect(first).toMatchObject({
      url: "https://bad.example/",
      metadata: { sourceURL: "https://bad.example/", statusCode: 500, error: "The certificate has expired" },
    });
    expect(second?.markdown).toContain("ferry");
    expect(answer.creditsUsed).toBe(3);
  });

  test("keeps an item whose credits could not be taken, or that fails unexpectedly, and logs the latter", async () => {
    const { search, deps } = searchService([1, 2, 3].map((number) => hit(`https://a.example/${number}`)));
    const logged: Record<string, unknown>[] = [];
    const addHold = deps.keyLedger.addHold.bind(deps.keyLedger);
    let calls = 0;
    Object.assign(deps, { log: (event: Record<string, unknown>) => void logged.push(event) });
    Object.assign(deps.keyLedger, {
      addHold: async (...call: Parameters<typeof addHold>) => {
        calls++;
        if (calls === 1) throw new AppError("SERVICE_UNAVAILABLE");
        if (calls === 2) throw new TypeError("holds is not a function");
        return await addHold(...call);
      },
    });
    const { status, answer } = await search({ scrapeOptions });
    expect(status).toBe(200);
    expect(answer.data.web.map(({ metadata }) => metadata.statusCode)).toEqual([503, 500, 200]);
    expect(answer.creditsUsed).toBe(3);
    expect(logged).toContainEqual({
      event: "page_failed_unexpectedly",
      message: expect.stringContaining("holds is not a function"),
    });
  });

  test("leaves out the documents that would make the response too large, and says where they are", async () => {
    const urls = Array.from({ length: 4 }, (_, at) => `https://a.example/${at}`);
    const text = `<p>${"The ferry to Skell leaves at nine. ".repeat(200_000)}</p>`;
    const large = (url: string): EngineOutcome => {
      const outcome = page(url);
      return outcome.kind === "loaded" ? { ...outcome, page: { ...outcome.page, body: text } } : outcome;
    };
    const pages = Object.fromEntries(urls.map((url) => [url, large(url)]));
    const { search } = searchService(
      urls.map((url) => hit(url)),
      { pages },
    );
    const { status, answer } = await search({ scrapeOptions: { formats: ["rawHtml"] }, highlights: false });
    expect(status).toBe(200);
    const left = answer.data.web.filter((item) => !("rawHtml" in item));
    expect(left).toHaveLength(2);
    expect(left[0]?.metadata.error).toContain(`GET /v2/scrape/${left[0]?.metadata.scrapeId} returns it`);
    expect(Object.keys(left[0]?.metadata ?? {}).toSorted()).toEqual(["contentType", "creditsUsed", "error", "scrapeId", "sourceURL", "statusCode", "url"]); // prettier-ignore
    expect(answer.warning).toContain("2 of 4 documents are left out");
    expect(answer.creditsUsed).toBe(6);
  });

  test("has its first documents beside large ones of other requests, leaves out the others, and says where they are", async () => {
    const urls = Array.from({ length: 4 }, (_, at) => `https://a.example/${at}`);
    const text = `<p>${"The ferry to Skell leaves at nine. ".repeat(12_000)}</p>`;
    const large = (url: string): EngineOutcome => {
      const outcome = page(url);
      return outcome.kind === "loaded" ? { ...outcome, page: { ...outcome.page, body: text } } : outcome;
    };
    const pages = Object.fromEntries(urls.map((url) => [url, large(url)]));
    const { search, deps } = searchService(
      urls.map((url) => hit(url)),
      { pages },
    );
    deps.memory = new HeldBytes({ ofTeam: 1_000, inAll: 2_000 });
    const { answer } = await search({ scrapeOptions: { formats: ["rawHtml"] }, highlights: false });
    const left = answer.data.web.filter((item) => !("rawHtml" in item));
    // Of 420,000 characters each.
    expect(left).toHaveLength(2);
    expect(left[0]?.metadata.error).toBe(
      `Other requests of the team take the room for this document. GET /v2/scrape/${left[0]?.metadata.scrapeId} returns it.`,
    );
    expect(answer.warning).toContain("2 of 4 documents are left out: together, and with those of the team's other");
  });

  test("says which pages were not ready in time", async () => {
    const { search } = searchService([hit("https://slow.example/"), hit("https://a.example/1")], {
      pages: { "https://slow.example/": "hangs" },
    });
    const { status, answer } = await search({ scrapeOptions, timeout: 5000 });
    expect(status).toBe(200);
    expect(answer.data.web[0]?.metadata).toMatchObject({
      statusCode: 408,
      error: expect.stringContaining("not ready"),
    });
    expect(answer.data.web[1]?.markdown).toContain("ferry");
    expect(answer.warning).toContain("1 of 2 pages were not ready in time");
  });

  test("loads a page once that stands in two groups", async () => {
    const { search, engine } = searchService([hit("https://a.example/1")]);
    const { answer } = await search({ scrapeOptions, sources: ["web", "news"] });
    expect(engine.loaded).toEqual(["https://a.example/1"]);
    expect(answer.data.news[0]?.markdown).toContain("ferry");
  });

  test("scrapes as many pages as can be paid for", async () => {
    const { search } = searchService([hit("https://a.example/1"), hit("https://a.example/2")], {
      settings: { creditsPerMonth: 3 },
    });
    const { answer } = await search({ scrapeOptions });
    const errors = answer.data.web.map(({ metadata }: { metadata: { error?: string } }) => metadata.error);
    expect(errors).toEqual([undefined, expect.stringContaining("Insufficient credits")]);
  });

  test("is refused when the search itself cannot be paid for", async () => {
    const { search } = searchService([hit("https://a.example/1")], { settings: { creditsPerMonth: 1 } });
    expect((await search({})).status).toBe(402);
  });

  test("loads pages for their passages when highlights are asked for", async () => {
    const { search, engine } = searchService([hit("https://a.example/1")]);
    const { answer } = await search({ highlights: true });
    expect(engine.loaded).toEqual(["https://a.example/1"]);
    expect(answer.data.web[0]?.description).toBe("The ferry to Skell leaves at nine.");
    expect(answer.data.web[0]).not.toHaveProperty("markdown");
  });

  test("says how many pages could not be read for their passages", async () => {
    const failed: EngineOutcome = { kind: "failed", code: "SCRAPE_SITE_ERROR", message: "Connection refused" };
    const { search } = searchService([hit("https://bad.example/"), hit("https://a.example/1")], {
      pages: { "https://bad.example/": failed },
    });
    const { answer } = await search({ highlights: true });
    expect(answer.data.web.map(({ description }: { description: string }) => description)).toEqual([
      "As found",
      "The ferry to Skell leaves at nine.",
    ]);
    expect(answer.warning).toContain("highlights: 1 page(s) could not be read");
  });

  test("describes branding and tracks changes, which clients ask a search for", async () => {
    const url = "https://a.example/1";
    const loaded = page(url);
    if (loaded.kind !== "loaded") throw new Error("This page loads");
    loaded.page.styles = NO_STYLES;
    const { search } = searchService([hit(url)], { pages: { [url]: loaded } });
    for (const changeStatus of ["new", "same"]) {
      const { status, answer } = await search({ scrapeOptions: { formats: ["branding", "changeTracking"] } });
      expect(status).toBe(200);
      expect(answer.data.web[0]).toMatchObject({
        branding: { colors: { background: "#FFFFFF" } },
        changeTracking: { changeStatus },
        markdown: expect.stringContaining("ferry"),
      });
    }
  });

  test("is refused with zero data retention when its scrapes are asked for later, since nothing could be read", async () => {
    const { post, search, tasks } = searchService([hit("https://a.example/1")], {
      settings: { zeroDataRetention: true },
    });
    const later = { asyncScraping: true, enterprise: ["zdr"] };
    const refused = await post("/v2/search", { query: "ferry Skell", scrapeOptions, ...later });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      error: expect.stringContaining("zero data retention"),
      details: [{ path: ["asyncScraping"] }],
    });
    expect(tasks).toEqual([]);
    expect((await search(later)).answer.warning).toContain("asyncScraping: it has no effect");
  });

  test("queued before that was refused leaves no target", async () => {
    const { deps, tasks, search } = searchService([hit("https://a.example/1")]);
    await search({ scrapeOptions, asyncScraping: true });
    const [task] = tasks;
    if (task?.type !== "scrape_page") throw new Error("A scrape is queued");
    const targets: (string | null)[] = [];
    const record: typeof deps.keyLedger.record = async (_keyId, { target }) => void targets.push(target);
    const request = { ...task.request, zeroDataRetention: true };
    await runTask({ ...deps, keyLedger: { ...deps.keyLedger, record } }, { ...task, request });
    expect(targets).toEqual([null]);
  });

  test("queued before its key was revoked loads no page and costs nothing", async () => {
    const { deps, tasks, search, ask, engine } = searchService([hit("https://a.example/1")]);
    const { answer } = await search({ scrapeOptions, asyncScraping: true });
    const [task] = tasks;
    if (task?.type !== "scrape_page") throw new Error("A scrape is queued");
    const key = { ...ApiKey.parse(task.key), id: "revoked", revokedAtMs: 1 };
    const keys = { ...deps.keys, findById: async () => ({ key, keyHash: "" }) };
    const held: string[] = [];
    const holdOnce: typeof deps.keyLedger.holdOnce = async (_keyId, { holdId }) => held.push(holdId) > 0;
    await runTask({ ...deps, keys, keyLedger: { ...deps.keyLedger, holdOnce } }, structuredClone(task));
    expect([engine.loaded, held]).toEqual([[], []]);
    const response = await ask(`/v2/scrape/${answer.scrapeIds.web[0]}`);
    expect(await response.json()).toMatchObject({
      data: { metadata: { statusCode: 401, error: "The API key of this scrape is no longer valid" } },
    });
  });

  test("is refused while too many scrapes that were asked for later are pending, and costs nothing", async () => {
    const { post, search, deps, tasks } = searchService([hit("https://a.example/1")]);
    await search({ scrapeOptions, asyncScraping: true });
    const [task] = tasks;
    if (task?.type !== "scrape_page") throw new Error("A scrape is queued");
    const ids = Array.from({ length: 999 }, (_, place) => `${place}`);
    const withdraw = deps.queuedScrapes?.expect(task.key.teamId, ids);
    const { credits } = deps.meter.counts;
    const body = { query: "ferry Skell", scrapeOptions, asyncScraping: true };
    const refused = await post("/v2/search", body);
    expect([refused.status, refused.headers.get("Retry-After")]).toEqual([429, "10"]);
    expect([tasks.length, deps.meter.counts.credits]).toEqual([1, credits]);
    expect((await post("/v2/search", { ...body, asyncScraping: false })).status).toBe(200);
    withdraw?.();
    expect((await post("/v2/search", body)).status).toBe(200);
  });

  test("is refused for the scrapes that other searches may ask for later while they run", async () => {
    const { post, search, deps, tasks } = searchService([hit("https://a.example/1")]);
    await search({ scrapeOptions, asyncScraping: true });
    const [task] = tasks;
    if (task?.type !== "scrape_page") throw new Error("A scrape is queued");
    const ids = Array.from({ length: 989 }, (_, place) => `${place}`);
    deps.queuedScrapes?.expect(task.key.teamId, ids);
    const body = { query: "ferry Skell", scrapeOptions, asyncScraping: true };
    const [provider] = deps.searchProviders;
    const statuses: number[] = [];
    const found = provider?.search.bind(provider);
    Object.assign(provider ?? {}, {
      search: async (query: SearchQuery) => {
        Object.assign(provider ?? {}, { search: found });
        statuses.push((await post("/v2/search", body)).status);
        return await found?.(query);
      },
    });
    statuses.push((await post("/v2/search", body)).status);
    statuses.push((await post("/v2/search", body)).status);
    expect([statuses, tasks.length]).toEqual([[429, 200, 200], 3]);
  });

  test("queues a page once that stands in two groups, under one id", async () => {
    const { search, tasks } = searchService([hit("https://a.example/1")]);
    const { answer } = await search({ scrapeOptions, asyncScraping: true, sources: ["web", "news"] });
    expect(tasks).toHaveLength(1);
    expect(answer.scrapeIds).toEqual({ web: answer.scrapeIds.web, news: answer.scrapeIds.web });
  });

  test("costs nothing when none of its scrapes can be queued, or it fails otherwise after it has searched", async () => {
    const { search, deps, scrapes } = searchService([hit("https://a.example/1")]);
    const later = { scrapeOptions, asyncScraping: true };
    Object.assign(deps.tasks, { sendAll: () => Promise.reject(new Error("the queue is away")) });
    expect((await search(later)).status).toBe(500);
    expect(deps.meter.counts.credits).toBe(0);
    // The message may arrive all the same.
    expect([...scrapes.records.values()].map(({ documentJson }) => documentJson)).toEqual([
      expect.stringContaining("could not be queued"),
    ]);
    Object.assign(deps.scrapes, { insert: () => Promise.reject(new Error("the store is away")) });
    expect((await search(later)).status).toBe(500);
    expect(deps.meter.counts.credits).toBe(0);
    expect(deps.queuedScrapes?.knows([...scrapes.records.keys()][0] ?? "")).toBe(false);
  });

  test("names the pages that could not be queued beside those that were, and these read as failed", async () => {
    const urls = [1, 2, 3].map((number) => `https://a.example/${number}`);
    const { search, deps, tasks, ask, engine } = searchService(urls.map((url) => hit(url)));
    let unsent: readonly Task[] = [];
    Object.assign(deps.tasks, {
      sendAll: async (all: readonly Task[]) => {
        tasks.push(...all.slice(0, 1));
        unsent = all.slice(1);
        throw new NotAllSent(unsent, new Error("the queue is away"));
      },
    });
    const { status, answer } = await search({ scrapeOptions, asyncScraping: true });
    expect([status, answer.creditsUsed]).toEqual([200, 2]);
    expect(answer.warning).toContain("2 of 3 pages could not be queued");
    // One of them arrived all the same.
    for (const task of [...tasks, ...unsent.slice(0, 1)]) await runTask(deps, structuredClone(task));
    expect(engine.loaded).toEqual(urls.slice(0, 1));
    const statuses = [];
    for (const id of answer.scrapeIds.web) {
      const { data } = (await (await ask(`/v2/scrape/${id}`)).json()) as { data: { metadata: object } };
      statuses.push(data.metadata);
    }
    expect(statuses).toMatchObject([{ statusCode: 200 }, { statusCode: 503 }, { statusCode: 503 }]);
  });

  test("costs nothing for a page asked for later that lockdown does not find", async () => {
    const { search, deps, tasks, ask } = searchService([hit("https://a.example/1")]);
    const receipts: number[] = [];
    const { answer } = await search({ scrapeOptions: { ...scrapeOptions, lockdown: true }, asyncScraping: true });
    Object.assign(deps, { meter: new Meter() });
    const record: typeof deps.keyLedger.record = async (_keyId, { receipt }) => void receipts.push(receipt.credits);
    const keyLedger = { ...deps.keyLedger, record };
    for (const task of tasks) await runTask({ ...deps, keyLedger }, structuredClone(task));
    expect(receipts).toEqual([0]);
    expect(await (await ask(`/v2/scrape/${answer.scrapeIds.web[0]}`)).json()).toMatchObject({
      data: { metadata: { statusCode: 404 } },
    });
  });

  test("does not wait for scrapes that are asked for later, and tells where to read them", async () => {
    const { search, tasks, deps, ask, engine } = searchService(
      [hit("https://a.example/1"), hit("https://bad.example/")],
      {
        pages: { "https://bad.example/": { kind: "failed", code: "SCRAPE_SITE_ERROR", message: "Connection refused" } },
      },
    );
    const { answer } = await search({ scrapeOptions, asyncScraping: true });
    expect(engine.loaded).toEqual([]);
    // Pages of other sites than the profile's are loaded without it, and not refused.
    for (const task of tasks) expect(task).toMatchObject({ request: { isOneOfMany: true } });
    expect(answer.data.web[0]).not.toHaveProperty("markdown");
    const [first = "", second = ""] = answer.scrapeIds.web;
    const read = async (id: string) => ((await (await ask(`/v2/scrape/${id}`)).json()) as { data: object }).data;
    expect(await read(first)).toMatchObject({ warning: expect.stringContaining("still being scraped") });
    for (const task of tasks) await runTask(deps, structuredClone(task));
    const loads = engine.loaded.length;
    for (const task of tasks) await runTask(deps, structuredClone(task));
    expect(engine.loaded).toHaveLength(loads);
    expect(await read(first)).toMatchObject({
      markdown: expect.stringContaining("ferry"),
      metadata: { scrapeId: first },
    });
    expect(await read(second)).toMatchObject({ metadata: { statusCode: 500, error: "Connection refused" } });
  });
});
