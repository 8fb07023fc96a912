import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { Meter } from "../../../../src/core/account/meter.ts";
import { RunShares } from "../../../../src/core/crawl/run-shares.ts";
import type { ErrorCode } from "../../../../src/core/errors.ts";
import type { EngineOutcome } from "../../../../src/core/scrape/page.ts";
import { FairAdmission } from "../../../../src/core/waits/fair-admission.ts";
import { HeldBytes } from "../../../../src/core/waits/held-bytes.ts";
import { crawl } from "../../../../src/jobs/crawl/crawl.ts";
import type { WorkRequest } from "../../../../src/ports/crawl/frontier.ts";
import type { BatchEntry } from "../../../../src/storage/crawl/frontier-complete.ts";
import { readUrls } from "../../../../src/storage/crawl/frontier-read.ts";
import { given } from "../../../fakes/given.ts";
import { memoryBlobs } from "../../../fakes/memory/memory-blobs.ts";
import { asked, load, MOVED, PAGES, run, SITE } from "../../../fakes/services/job-runs.ts";

test("a crawl goes on where its first page has moved, to its limit and not beyond", async () => {
  const frontier = await run();
  const state = given(frontier.state());
  expect(state).toMatchObject({ status: "completed", counters: { completed: 30, pending: 0, failed: 0 } });
  // The first page takes the URL to which it has moved.
  expect(state.counters.discovered).toBe(PAGES + 2);
  expect(state.counters.skipped.duplicate).toBe(1);
  const { lines } = readUrls(asked.sql, state, { cursor: { part: "queue", row: 0, place: 0 }, limit: 100 });
  const urls = lines.filter(({ outcome }) => outcome === "scraped").map(({ url }) => url);
  expect(urls).toHaveLength(30);
  expect(urls.filter((url) => url !== SITE && !url.startsWith(MOVED))).toEqual([]);
});

test("its consumer hands in the site's template, and uses the one that holds", async () => {
  const frontier = await run();
  const handedIn = asked.requests.flatMap(({ completion }) => completion?.template ?? []);
  expect(handedIn).toHaveLength(1);
  expect(frontier.template()).toBe(handedIn[0]);
  expect(asked.requests.at(-1)?.knowsTemplate).toBe(true);
});

test("pages that it holds when the job is cancelled are handed in, and it takes no more", async () => {
  const state = (await run({ cancelAfter: 3 })).state();
  expect(state).toMatchObject({ status: "cancelled", counters: { pending: 0, leased: 0 } });
  expect(state?.counters.completed).toBeGreaterThan(1);
  expect(state?.counters.completed).toBeLessThan(30);
  expect(asked.requests.slice(3).filter(({ capacity }) => capacity > 0)).toEqual([]);
});

test("leases are renewed while documents are written, however long that takes", async () => {
  let renewals = 0;
  // The first documents are written when the heartbeat has been heard three times.
  const put = async (): Promise<void> => {
    const from = asked.requests.length;
    const heard = () =>
      asked.requests.slice(from).filter(({ capacity, leaseIds }) => capacity === 0 && leaseIds.length > 0);
    while (renewals < 3) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      renewals = heard().length;
    }
  };
  expect((await run({ put })).state()).toMatchObject({ status: "completed", counters: { completed: 30, failed: 0 } });
  expect(renewals).toBeGreaterThanOrEqual(3);
});

/** Loads pages as `load` does after so many failures of each, and counts the loads of each URL. */
function failing(
  times: number,
  code: ErrorCode,
): { loads: Map<string, number>; loadPage: (url: string) => Promise<EngineOutcome> } {
  const loads = new Map<string, number>();
  const loadPage = async (url: string): Promise<EngineOutcome> => {
    const before = loads.get(url) ?? 0;
    loads.set(url, before + 1);
    return before < times ? { kind: "failed", code, message: "Not this time" } : await load(url);
  };
  return { loads, loadPage };
}

/** Keys of the pages of all documents. */
function documentKeys(): string[] {
  const rows = asked.sql.rows<{ entries: string }>("SELECT entries FROM batches ORDER BY first");
  return rows.flatMap(({ entries }) => (JSON.parse(entries) as BatchEntry[]).map(([, , , key]) => key));
}

const ALL_PAGES = { status: "completed", counters: { completed: 30, pending: 0, failed: 0 } };

test.each(["SCRAPE_TIMEOUT", "SCRAPE_SITE_ERROR"] as const)(
  "pages whose first two loads end with %s are in the results, once each",
  async (code) => {
    const { loads, loadPage } = failing(2, code);
    expect((await run({ loadPage })).state()).toMatchObject(ALL_PAGES);
    expect(new Set(documentKeys()).size).toBe(30);
    expect(documentKeys()).toHaveLength(30);
    expect(Math.max(...loads.values())).toBe(3);
  },
);

test("pages whose third load fails have failed with their own reason", async () => {
  const { loads, loadPage } = failing(3, "SCRAPE_TIMEOUT");
  expect((await run({ loadPage })).state()).toMatchObject({ status: "failed", error: "Not this time" });
  expect([...loads.values()]).toEqual([3]);
});

test("documents and results that could not be written are written again, and no page is loaded twice", async () => {
  const { loads, loadPage } = failing(0, "SCRAPE_TIMEOUT");
  let puts = 0;
  let calls = 0;
  const put = async (): Promise<void> => {
    if (puts++ % 3 === 0) throw new Error("The bucket does not answer");
  };
  const beforeWork = ({ completion }: WorkRequest): void => {
    if (completion !== undefined && calls++ % 3 === 0) throw new Error("The object has been moved");
  };
  expect((await run({ put, loadPage, beforeWork })).state()).toMatchObject(ALL_PAGES);
  expect(documentKeys()).toHaveLength(30);
  expect(new Set(loads.values())).toEqual(new Set([1]));
});

test("pages of runs that stopped without a word are loaded again, and stand in the results once", async () => {
  const { loads, loadPage } = failing(0, "SCRAPE_TIMEOUT");
  let reports = 0;
  // Each run stops after four tries: the first three reach nobody with what they have loaded.
  const beforeWork = ({ completion }: WorkRequest): void => {
    if (completion !== undefined && reports++ < 12) throw new Error("Nobody is there");
  };
  expect((await run({ loadPage, beforeWork })).state()).toMatchObject(ALL_PAGES);
  expect(new Set(documentKeys()).size).toBe(30);
  expect(documentKeys()).toHaveLength(30);
  expect(Math.max(...loads.values())).toBe(4);
});

test("a run whose message is delivered again overwrites no document of the first one", async () => {
  const blobs = memoryBlobs();
  let reports = 0;
  // The third report and all tries of it reach nobody: the run ends, and its message comes again.
  const beforeWork = ({ completion }: WorkRequest): void => {
    if ((completion?.results.length ?? 0) > 0 && ++reports > 2 && reports <= 6) throw new Error("Nobody is there");
  };
  const frontier = await run({ put: blobs.put, beforeWork, messageId: () => "message" });
  expect(frontier.state()).toMatchObject(ALL_PAGES);
  const rows = asked.sql.rows<{ object: string; entries: string }>("SELECT object, entries FROM batches");
  const documents = await Promise.all(
    rows.flatMap(({ object, entries }) =>
      (JSON.parse(entries) as BatchEntry[]).map(async ([offset, length, id]) => {
        const document = JSON.parse((await blobs.text(object, { offset, length })) ?? "") as { metadata: object };
        return { id, ...document.metadata };
      }),
    ),
  );
  expect(documents).toHaveLength(30);
  for (const { id, ...metadata } of documents) expect(metadata).toMatchObject({ scrapeId: id });
});

test("a page that could not be worked on is reported at once, and tried again", async () => {
  let requested = 0;
  const robots = async (): Promise<never> => {
    if (requested++ === 0) throw new Error("The proxy has ended");
    return { kind: "failed", code: "SCRAPE_DNS_RESOLUTION_ERROR", message: "Unknown" } as never;
  };
  expect((await run({ robots })).state()).toMatchObject(ALL_PAGES);
  const reported = asked.requests.flatMap(({ completion }) => completion?.results ?? []);
  expect(reported[0]).toMatchObject({ kind: "failed", code: "UNKNOWN_ERROR", retryable: true });
});

test("a run with enough work reports many pages at once, and loads no more than are allowed at a time", async () => {
  const loading = new Set<string>();
  let most = 0;
  const loadPage = async (url: string): Promise<EngineOutcome> => {
    loading.add(url);
    most = Math.max(most, loading.size);
    await new Promise((resolve) => setTimeout(resolve, 2));
    const page = await load(url);
    loading.delete(url);
    return page;
  };
  const state = (await run({ loadPage, config: { limit: undefined, maxConcurrency: 6 } })).state();
  expect(state?.counters).toMatchObject({ completed: PAGES + 1, failed: 0, pending: 0 });
  expect(most).toBeLessThanOrEqual(6);
  const reports = asked.requests.flatMap(({ completion }) =>
    completion === undefined ? [] : [completion.results.length],
  );
  // The first ones bring the links and the template of the site.
  expect(reports.length).toBeLessThanOrEqual(6);
  expect(Math.max(...asked.requests.map(({ unreported = 0 }) => unreported))).toBeGreaterThan(6);
});

test("links of a page are handed in by portions before its result, and each of them once", async () => {
  const links = Array.from({ length: 9_500 }, (_, at) => `<a href="${MOVED}further-${at}">${at}</a>`);
  const loadPage = async (url: string): Promise<EngineOutcome> => await load(url, url === SITE ? links.join(" ") : "");
  const frontier = await run({ loadPage });
  expect(frontier.state()).toMatchObject({ status: "completed", counters: { completed: 30, pending: 0 } });
  const completions = asked.requests.flatMap(({ completion }) => completion ?? []);
  expect(Math.max(...completions.map(({ candidates }) => candidates.length))).toBe(1_000);
  const found = completions.flatMap(({ candidates }) => candidates.map(({ url }) => url));
  expect(found.filter((url) => url.includes("further-")).length).toBe(9_500);
  expect(new Set(found).size).toBe(found.length);
  const before = completions.slice(
    0,
    completions.findIndex(({ results }) => results.length > 0),
  );
  expect(before.length).toBeGreaterThanOrEqual(9);
  expect(before.every(({ candidates }) => candidates.length === 1_000)).toBe(true);
});

test("a page of very many links is followed in pieces, and none of them is lost", async () => {
  const all = Array.from({ length: 12_000 }, (_, at) => `<a href="${MOVED}further-${at}">${at}</a>`);
  const pieces = vi.spyOn(crawl, "follow");
  const loadPage = async (url: string): Promise<EngineOutcome> => await load(url, url === SITE ? all.join(" ") : "");
  const frontier = await run({ loadPage });
  const sizes = pieces.mock.calls.map(([, links]) => links().length);
  pieces.mockRestore();
  expect(Math.max(...sizes.filter((size) => size < 12_000))).toBe(5_000);
  expect(frontier.state()).toMatchObject({ status: "completed", counters: { completed: 30, pending: 0 } });
  // The portions carry the rules by which they were chosen: the first page has moved the crawl.
  const completions = asked.requests.flatMap(({ completion }) => completion ?? []);
  const before = completions.slice(0, completions.findIndex(({ results }) => results.length > 0)); // prettier-ignore
  expect(before.length).toBe(12);
  expect(before.every(({ specification }) => specification?.includes(MOVED))).toBe(true);
  const found = completions.flatMap(({ candidates }) => candidates.map(({ url }) => url));
  expect(found.filter((url) => url.includes("further-")).length).toBe(12_000);
  expect(new Set(found).size).toBe(found.length);
});

test("pages with very many links hold the room of their team until they are reported, and are reported without it", async () => {
  const waiting = new HeldBytes({ ofTeam: 100_000, inAll: 200_000 });
  const admission = new FairAdmission({ isProcessorBusy: () => false, hasRoom: (owner) => waiting.hasRoom(owner) });
  const all = Array.from({ length: 12_000 }, (_, at) => `<a href="${MOVED}further-${at}">${at}</a>`).join(" ");
  const held: number[] = [];
  const beforeWork = ({ completion }: WorkRequest): void => {
    if (completion !== undefined) held.push(waiting.bytesOf("team"));
  };
  const frontier = await run({
    loadPage: (url) => load(url, all),
    admission,
    waiting,
    beforeWork,
    config: { limit: 4 },
  });
  expect(frontier.state()).toMatchObject({ status: "completed", counters: { completed: 4, pending: 0 } });
  // Two pages at most: each holds more than the team may.
  expect(Math.max(...held)).toBeGreaterThan(500_000);
  expect(Math.max(...held)).toBeLessThan(7 * 700_000);
  expect(waiting.bytesOf("team")).toBe(0);
});

test("a run that has made many queries of D1 takes no more pages, and the next ones read them all", async () => {
  const meter = new Meter();
  const runs: string[] = [];
  const messageId = (at: number): string => {
    meter.queries = 0;
    runs.push(`ticket ${at}`);
    return `ticket ${at}`;
  };
  const loadPage = async (url: string): Promise<EngineOutcome> => {
    meter.queries += 350;
    return await load(url);
  };
  expect((await run({ loadPage, messageId, meter })).state()).toMatchObject(ALL_PAGES);
  expect(documentKeys()).toHaveLength(30);
  expect(runs.length).toBeGreaterThan(1);
});

test("a run leases ahead on a fast site, and begins no page before another one has finished", async () => {
  let active = 0;
  let most = 0;
  const loaded: string[] = [];
  const frontier = await run({
    config: { limit: undefined, maxConcurrency: 6 },
    loadPage: async (url) => {
      most = Math.max(most, ++active);
      loaded.push(url);
      await new Promise((resolve) => setTimeout(resolve, 2));
      active--;
      return await load(url);
    },
  });
  expect(frontier.state()).toMatchObject({ status: "completed", counters: { completed: PAGES + 1, failed: 0 } });
  expect(most).toBeLessThanOrEqual(6);
  expect(new Set(loaded).size).toBe(loaded.length);
  expect(Math.max(...asked.ahead)).toBeGreaterThan(6);
  expect(Math.max(...asked.requests.map(({ unreported = 0 }) => unreported))).toBeGreaterThan(6);
});

test("a run puts back what it has leased ahead when the host refuses a page", async () => {
  let refusedIn: number | undefined;
  let refusedUrl = "";
  let begunAfter = 0;
  const refusing = async (url: string): Promise<EngineOutcome> => {
    const outcome = await load(url);
    if (outcome.kind !== "loaded") return outcome;
    return { kind: "loaded", page: { ...outcome.page, statusCode: 429, headers: { "retry-after": "1" } } };
  };
  const frontier = await run({
    config: { limit: undefined, maxConcurrency: 6 },
    loadPage: async (url) => {
      // A page is asked for twice before it is refused.
      if (url === refusedUrl && asked.ahead.length === refusedIn) return await refusing(url);
      if (asked.ahead.length === refusedIn) {
        begunAfter++;
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
      if (refusedIn !== undefined || (asked.ahead.at(-1) ?? 0) < 5 || !asked.claimed.includes(url))
        return await load(url);
      refusedIn = asked.ahead.length;
      refusedUrl = url;
      return await refusing(url);
    },
  });
  expect(refusedIn).toBeDefined();
  // Those of its claim that were begun at once, and none of those in hand.
  expect(begunAfter).toBeLessThanOrEqual(6);
  const put = asked.requests.flatMap(
    ({ completion }) => completion?.results.filter(({ kind }) => kind === "deferred") ?? [],
  );
  expect(put.length).toBeGreaterThan(0);
  expect(frontier.state()).toMatchObject({ status: "completed", counters: { completed: PAGES + 1, failed: 0 } });
});

test("a run learns from its heartbeat that its job has ended, begins none of the pages in hand, and finds nothing more", async () => {
  const config = { limit: undefined, maxConcurrency: 2 };
  const loaded: string[] = [];
  let cancelledAt: number | undefined;
  const frontier = await run({
    config,
    loadPage: async (url, cancel) => {
      loaded.push(url);
      if (cancelledAt === undefined && asked.ahead.some((count) => count > 3)) {
        cancel();
        cancelledAt = asked.requests.length;
      }
      // Exchanges wait for the pages: what comes meanwhile are heartbeats.
      const heard = cancelledAt === undefined ? 0 : cancelledAt + 2;
      while (asked.requests.length < heard) await sleep(2);
      return await load(url, cancelledAt === undefined ? "" : `<a href="${MOVED}late">Late</a>`);
    },
  });
  expect(frontier.state()?.status).toBe("cancelled");
  // One more page was under way at that time.
  const place = given(cancelledAt);
  expect(loaded.length).toBeLessThan(PAGES / 2);
  const late = asked.requests.slice(place).flatMap(({ completion }) => completion ?? []);
  expect(late.flatMap(({ results }) => results.filter(({ kind }) => kind === "deferred")).length).toBeGreaterThan(3);
  expect(late.flatMap(({ candidates, filtered }) => [...candidates, ...filtered])).toEqual([]);
});

test("among hundreds of runs of its team, a run has one page at a time, leases none ahead, and reads them all", async () => {
  const runShares = new RunShares();
  for (let other = 0; other < 300; other++)
    runShares.shareOf(`other ${other}`, { teamId: "team", keyId: "key" }, Date.now());
  let active = 0;
  let most = 0;
  const loadPage = async (url: string): Promise<EngineOutcome> => {
    most = Math.max(most, ++active);
    await sleep(1);
    active--;
    return await load(url);
  };
  const state = (await run({ loadPage, runShares, config: { limit: undefined } })).state();
  expect(state?.counters).toMatchObject({ completed: PAGES + 1, failed: 0, pending: 0 });
  expect(most).toBe(1);
  expect(Math.max(...asked.ahead)).toBe(0);
});

test("links that wait for their team's turn are not handed in when the job ends meanwhile", async () => {
  const admission = new FairAdmission({ places: 1, isProcessorBusy: () => true });
  const others = Promise.withResolvers<void>();
  const links = Array.from({ length: 3_000 }, (_, at) => `<a href="${MOVED}further-${at}">${at}</a>`);
  const loadPage = async (url: string, cancel: () => void): Promise<EngineOutcome> => {
    for (const teamId of ["a", "b"]) void admission.run({ teamId, keyId: teamId }, () => others.promise);
    // The page is finished, its links wait, and a heartbeat has told the run of the end.
    void sleep(200)
      .then(cancel)
      .then(() => sleep(200))
      .then(() => others.resolve());
    return await load(url, links.join(" "));
  };
  const frontier = await run({ loadPage, admission });
  expect(frontier.state()).toMatchObject({ status: "cancelled", counters: { completed: 1, leased: 0 } });
  const completions = asked.requests.flatMap(({ completion }) => completion ?? []);
  expect(completions.flatMap(({ results }) => results)).toHaveLength(1);
  expect(completions.flatMap(({ candidates, filtered }) => [...candidates, ...filtered])).toEqual([]);
});

test("a page that never ends is given up after a quarter of an hour, and tried again", async () => {
  const real = globalThis.setTimeout;
  const limits: number[] = [];
  const spy = vi.spyOn(globalThis, "setTimeout").mockImplementation(((call: () => void, ms = 0) => {
    if (ms >= 600_000) limits.push(ms);
    return real(call, ms >= 600_000 ? 1_000 : ms);
  }) as typeof setTimeout);
  let hung = 0;
  const loadPage = async (url: string): Promise<EngineOutcome> =>
    url.endsWith("/7") && hung++ === 0 ? await new Promise(() => undefined) : await load(url);
  try {
    const state = (await run({ loadPage, config: { limit: undefined } })).state();
    expect(state).toMatchObject({ status: "completed", counters: { completed: PAGES + 1, failed: 0, pending: 0 } });
  } finally {
    spy.mockRestore();
  }
  expect(hung).toBe(2);
  expect(new Set(limits)).toEqual(new Set([900_000]));
});
