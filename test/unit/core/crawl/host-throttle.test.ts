import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { given } from "../../../fakes/given.ts";
import {
  HOLD_MS,
  HostState as HostStateSchema,
  isWorthKeeping,
  NEW_HOST,
  report,
  reserve,
  type HostReport,
  type HostState,
} from "../../../../src/core/crawl/host-throttle.ts";

const NOW = 1_700_000_000_000;

/** The state after some reports, all at one moment. */
const after = (reports: HostReport[], nowMs = NOW, state: HostState = NEW_HOST): HostState =>
  reports.reduce((current, outcome) => report(current, outcome, nowMs), state);
const times = (count: number, outcome: HostReport): HostReport[] => Array.from({ length: count }, () => outcome);
/** Ms from now at which the next pages may begin. */
const waits = (state: HostState, { count = 1, delayMs = 0, nowMs = NOW } = {}): number[] =>
  reserve(state, { count, delayMs }, nowMs).startsAtMs.map((atMs) => atMs - nowMs);

/** State of the only key that there is: that of pages of no key. */
const own = ({ keys }: HostState) => given(keys[""]);

const LOST: HostReport = { failed: true };

describe("moments", () => {
  test("are now where nothing asks for a delay", () => {
    expect(waits(NEW_HOST, { count: 3 })).toEqual([0, 0, 0]);
  });

  test("lie apart, over several calls", () => {
    const first = reserve(NEW_HOST, { count: 2, delayMs: 500 }, NOW);
    expect(first.startsAtMs).toEqual([NOW, NOW + 500]);
    expect(waits(first.state, { count: 2, delayMs: 500 })).toEqual([1000, 1500]);
  });

  test("keep the longer of two crawls' delays", () => {
    const { state } = reserve(NEW_HOST, { count: 1, delayMs: 0 }, NOW);
    expect(waits(state, { delayMs: 700, nowMs: NOW + 100 })).toEqual([600]);
    const slow = reserve(NEW_HOST, { count: 1, delayMs: 900 }, NOW).state;
    expect(waits(slow, { delayMs: 0, nowMs: NOW + 100 })).toEqual([800]);
  });

  test("far off are told and not taken", () => {
    const { startsAtMs, state } = reserve(NEW_HOST, { count: 5, delayMs: 1_000 }, NOW);
    expect(startsAtMs.map((atMs) => atMs - NOW)).toEqual([0, 1000, 2000, 3000, 4000]);
    expect(waits(state, { delayMs: 1_000 })).toEqual([3000]);
  });

  test("are never more than a minute apart, whatever a site asks for", () => {
    expect(waits(NEW_HOST, { count: 2, delayMs: 86_400_000 })).toEqual([0, 60_000]);
  });
});

describe("refusals", () => {
  test.each([429, 503])("with Retry-After move the host's next moment (%i)", (statusCode) => {
    const state = report(NEW_HOST, { statusCode, retryAfterMs: 30_000 }, NOW);
    expect(waits(state)).toEqual([30_000]);
    expect(isWorthKeeping(state, NOW)).toBe(true);
  });

  test("of one page, however often it is tried again, do not space the host's other pages", () => {
    const page = "https://a.example/broken";
    for (const statusCode of [500, 503]) {
      expect(waits(after(times(20, { statusCode, page })), { count: 3 })).toEqual([0, 0, 0]);
    }
    const paused = report(NEW_HOST, { statusCode: 503, page, retryAfterMs: 3_000 }, NOW);
    const again = after(times(5, { statusCode: 503, page, retryAfterMs: 3_000 }), NOW + 3_000, paused);
    expect(waits(again, { count: 3, nowMs: NOW + 3_000 })).toEqual([0, 0, 0]);
  });

  test("of several pages in a row are the host's, and their retries double the spacing", () => {
    const pages = ["a", "b", "c"].map((page) => ({ statusCode: 500, page }));
    const state = after(pages);
    expect(waits(state)).toEqual([250]);
    expect(own(report(state, { statusCode: 500, page: "a" }, own(state).refusedUntilMs)).paceMs).toBe(500);
    const between = after([...pages.slice(0, 2), { statusCode: 200 }, ...pages.slice(2)]);
    expect(waits(between, { count: 2 })).toEqual([0, 0]);
    expect(waits(after(["a", "b"].map((page) => ({ statusCode: 503, page, retryAfterMs: 9_000 }))))).toEqual([9_000]);
  });

  test("are lifted by a report of many answers as by as many reports", () => {
    const refused = after([{ statusCode: 429 }]);
    const reports = after(times(4, { statusCode: 200 }), NOW + 1000, refused);
    expect(own(report(refused, { statusCode: 200, count: 4 }, NOW + 1000)).paceMs).toBeCloseTo(own(reports).paceMs);
    expect(own(reports).paceMs).toBeLessThan(100);
  });

  test("ask for ten minutes at most", () => {
    expect(waits(report(NEW_HOST, { statusCode: 429, retryAfterMs: 1e12 }, NOW))).toEqual([600_000]);
  });

  test("that come together count once, and later ones double the spacing up to ten seconds", () => {
    const once = after(times(20, { statusCode: 429 }));
    expect(own(once).paceMs).toBe(250);
    const paces: number[] = [];
    for (let state = once, nowMs = NOW; paces.length < 8;) {
      nowMs = own(state).refusedUntilMs;
      state = report(state, { statusCode: 429 }, nowMs);
      paces.push(own(state).paceMs);
    }
    expect(paces).toEqual([500, 1000, 2000, 4000, 8000, 10_000, 10_000, 10_000]);
  });

  test("are forgotten as answers come", () => {
    const state = after(times(30, { statusCode: 200 }), NOW + 1000, after([{ statusCode: 429 }]));
    expect(waits(state, { count: 3, nowMs: NOW + 2000 })).toEqual([0, 0, 0]);
  });

  test("of single pages say nothing about the host", () => {
    const flaky = [...times(2, { statusCode: 500 }), { statusCode: 200 }, ...times(2, { statusCode: 502 })];
    expect(waits(after(flaky), { count: 2 })).toEqual([0, 0]);
    expect(waits(after(times(3, { statusCode: 500 })))).toEqual([250]);
  });
});

describe("the circuit", () => {
  test("opens after five lost connections in a row", () => {
    expect(waits(after(times(4, LOST)))).toEqual([0]);
    expect(waits(after([...times(4, LOST), { statusCode: 404 }, ...times(4, LOST)]))).toEqual([0]);
    expect(waits(after(times(9, LOST)))).toEqual([30_000]);
  });

  test("lets one probe through when its time is over, and another when that is lost", () => {
    const nowMs = NOW + 30_000;
    const { startsAtMs, state } = reserve(after(times(5, LOST)), { count: 3, delayMs: 0 }, nowMs);
    expect(startsAtMs.map((atMs) => atMs - nowMs)).toEqual([0, 15_000, 15_000]);
    expect(waits(state, { nowMs: nowMs + 1 })).toEqual([14_999]);
    expect(waits(state, { nowMs: nowMs + 15_000 })).toEqual([0]);
  });

  test("closes with an answer, and opens for longer without", () => {
    const nowMs = NOW + 30_000;
    const { state } = reserve(after(times(5, LOST)), { count: 1, delayMs: 0 }, nowMs);
    expect(waits(report(state, { statusCode: 200 }, nowMs), { count: 2, nowMs })).toEqual([0, 0]);
    expect(waits(report(state, LOST, nowMs), { nowMs })).toEqual([60_000]);
  });

  test("lets what waits for a dead host come to its end, slowly", () => {
    let state = after(times(5, LOST));
    for (let probe = 0; probe < 3; probe++) state = report(state, LOST, own(state).openUntilMs);
    const nowMs = NOW + 3_600_000;
    expect(waits(after(times(50, LOST), nowMs, state), { count: 3, nowMs })).toEqual([0, 100, 200]);
    expect(waits(report(state, { statusCode: 200 }, nowMs), { count: 3, nowMs })).toEqual([0, 0, 0]);
  });
});

describe("whatever happens", () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant("reserve" as const), count: fc.nat(20), delayMs: fc.nat(5_000) }),
    fc.record(
      {
        kind: fc.constant("report" as const),
        statusCode: fc.constantFrom(200, 404, 429, 500, 503),
        retryAfterMs: fc.nat(90_000),
        failed: fc.boolean(),
      },
      { requiredKeys: ["kind"] },
    ),
    fc.record({ kind: fc.constant("wait" as const), ms: fc.nat(20_000) }),
  );

  test("moments rise, none is in the past, each asked-for delay is kept, and the wait is bounded", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let state = NEW_HOST;
        let nowMs = NOW;
        let lastTakenMs = 0;
        for (const next of steps) {
          if (next.kind === "wait") nowMs += next.ms;
          else if (next.kind === "report") state = report(state, next as HostReport, nowMs);
          else {
            const given = reserve(state, next, nowMs);
            expect(given.startsAtMs).toHaveLength(next.count);
            expect(given.startsAtMs).toEqual(given.startsAtMs.toSorted((left, right) => left - right));
            expect(given.startsAtMs[0] ?? nowMs).toBeLessThanOrEqual(nowMs + 700_000);
            const isClosed = (state.keys[""]?.openUntilMs ?? 0) === 0;
            for (const atMs of given.startsAtMs.filter((moment) => moment <= nowMs + HOLD_MS)) {
              expect(atMs).toBeGreaterThanOrEqual(nowMs);
              if (isClosed) expect(atMs - lastTakenMs).toBeGreaterThanOrEqual(next.delayMs);
              lastTakenMs = atMs;
            }
            state = given.state;
          }
        }
      }),
    );
  });

  test("a host that answers again is soon asked at full speed", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let state = NEW_HOST;
        let nowMs = NOW;
        for (const next of steps) {
          if (next.kind === "wait") nowMs += next.ms;
          else if (next.kind === "report") state = report(state, next as HostReport, nowMs);
          else ({ state } = reserve(state, next, nowMs));
        }
        nowMs += 700_000;
        state = after(times(80, { statusCode: 200 }), nowMs, state);
        expect(waits(state, { count: 3, nowMs })).toEqual([0, 0, 0]);
        expect(isWorthKeeping(state, nowMs)).toBe(false);
      }),
    );
  });
});

describe("what the pages of one key cause", () => {
  const waitsOf = (state: HostState, keyId: string, nowMs = NOW): number[] =>
    reserve(state, { count: 2, delayMs: 0, keyId }, nowMs).startsAtMs.map((atMs) => atMs - nowMs);

  test.each<{ what: string; reports: HostReport[]; wait: number }>([
    { what: "a pause", reports: [{ statusCode: 429, retryAfterMs: 7_200_000 }], wait: 600_000 },
    { what: "a spacing", reports: ["a", "b", "c"].map((page) => ({ statusCode: 500, page })), wait: 250 },
    { what: "lost connections", reports: times(5, LOST), wait: 30_000 },
  ])("delays no page of another key: $what", ({ reports, wait }) => {
    const state = after(reports.map((outcome) => ({ ...outcome, keyId: "one" })));
    expect(waitsOf(state, "one")[0]).toBe(wait);
    expect(waitsOf(state, "other")).toEqual([0, 0]);
    // Nor does an answer to the other key end it.
    expect(waitsOf(report(state, { statusCode: 200, keyId: "other" }, NOW), "one")[0]).toBe(wait);
    expect(isWorthKeeping(state, NOW)).toBe(wait > 2 * HOLD_MS);
  });

  test("does not lift the delay that crawls keep", () => {
    const { state } = reserve(NEW_HOST, { count: 2, delayMs: 700, keyId: "one" }, NOW);
    expect(waitsOf(state, "other")).toEqual([1_400, 1_400]);
  });

  test("is forgotten when there are too many keys: those that wait least go first", () => {
    let state = report(NEW_HOST, { statusCode: 429, retryAfterMs: 60_000, keyId: "paused" }, NOW);
    for (let key = 0; key < 300; key++) state = report(state, { statusCode: 200, keyId: `key ${key}` }, NOW);
    expect(Object.keys(state.keys)).toHaveLength(200);
    expect(waitsOf(state, "paused")[0]).toBe(60_000);
  });
});

describe("within an hour, of two keys that crawl a host", () => {
  interface Crawl {
    keyId: string;
    delayMs?: number;
    ownDelayMs?: number;
    /** Time after which the job is woken, in ms. */
    lateMs?: number;
  }

  /** Returns the times of the pages of each key: every crawl asks when it was told to, and for eight pages at a time. */
  function anHour(crawls: readonly Crawl[], start: HostState = NEW_HOST): Record<string, number[]> {
    const endMs = NOW + 3_600_000;
    const asks = crawls.map((crawl, place) => ({ crawl, atMs: NOW + 20_000 + place }));
    const pages: Record<string, number[]> = {};
    let state = start;
    for (;;) {
      const next = given(asks.toSorted((left, right) => left.atMs - right.atMs)[0]);
      if (next.atMs > endMs) return pages;
      const { keyId, delayMs = 0, ownDelayMs = 0, lateMs = 0 } = next.crawl;
      const nowMs = next.atMs;
      const reserved = reserve(state, { count: 8, delayMs, ownDelayMs, keyId }, nowMs);
      state = reserved.state;
      const taken = reserved.startsAtMs.filter((atMs) => atMs <= nowMs + HOLD_MS);
      (pages[keyId] ??= []).push(...taken);
      // Without a delay, pages take two seconds.
      next.atMs = (reserved.startsAtMs[taken.length] ?? nowMs + 2_000) + lateMs;
    }
  }
  const pagesOf = (pages: Record<string, number[]>, keyId: string): number => pages[keyId]?.length ?? 0;
  const gapsOf = (moments: number[] = []): number[] =>
    moments
      .toSorted((left, right) => left - right)
      .flatMap((atMs, place, all) => (place === 0 ? [] : [atMs - (all[place - 1] ?? 0)]));
  const times4 = (crawl: Crawl): Crawl[] => Array.from({ length: 4 }, () => ({ ...crawl }));

  test("one that wants a delay gets its pages beside one that wants none", () => {
    const pages = anHour([{ keyId: "calm", ownDelayMs: 10_000 }, ...times4({ keyId: "quick" })]);
    expect(pagesOf(pages, "calm")).toBeGreaterThan(350);
    expect(Math.min(...gapsOf(pages["calm"]))).toBeGreaterThanOrEqual(10_000);
    expect(pagesOf(pages, "quick")).toBeGreaterThan(50_000);
  });

  test("several crawls with long delays take no page of another one", () => {
    const pages = anHour([...times4({ keyId: "calm", ownDelayMs: 60_000 }), { keyId: "quick" }]);
    expect(pagesOf(pages, "quick")).toBeGreaterThan(14_000);
    expect(pagesOf(pages, "calm")).toBeGreaterThan(55);
    expect(Math.min(...gapsOf(pages["calm"]))).toBeGreaterThanOrEqual(60_000);
  });

  test.each([
    { delayMs: 60_000, lateMs: 0 },
    { delayMs: 60_000, lateMs: 5_000 },
    { delayMs: 10_000, lateMs: 1_000 },
    { delayMs: 1_000, lateMs: 500 },
  ])(
    "each has its share of a host that asks for $delayMs ms, also one that is woken $lateMs ms late",
    ({ delayMs, lateMs }) => {
      const one = { keyId: "one", delayMs, lateMs };
      for (const crawls of [
        [one, ...times4({ keyId: "many", delayMs })],
        [...times4({ keyId: "many", delayMs }), one],
      ]) {
        const pages = anHour(crawls);
        const all = [...(pages["one"] ?? []), ...(pages["many"] ?? [])];
        expect(Math.min(...gapsOf(all))).toBeGreaterThanOrEqual(delayMs);
        expect(pagesOf(pages, "one") / all.length).toBeGreaterThan(0.3);
        expect(pagesOf(pages, "many") / all.length).toBeGreaterThan(0.3);
        expect(all.length).toBeGreaterThan((3_600_000 / (delayMs + lateMs)) * 0.8);
      }
    },
  );

  test.each([
    { delayMs: 500, keys: ["one", "two"] },
    { delayMs: 1_000, keys: ["one", "two"] },
    { delayMs: 1_000, keys: ["one", "two", "three"] },
  ])("they share all times of a host that asks for $delayMs ms, $keys", ({ delayMs, keys }) => {
    const pages = anHour(keys.map((keyId) => ({ keyId, delayMs })));
    const all = Object.values(pages).flat();
    expect(Math.min(...gapsOf(all))).toBeGreaterThanOrEqual(delayMs);
    expect(all.length).toBeGreaterThan((3_600_000 / delayMs) * 0.9);
    for (const keyId of keys) expect(pagesOf(pages, keyId) / all.length).toBeGreaterThan(0.9 / keys.length);
  });

  test("one that keeps the host's delay is not passed over for one that ignores robots.txt", () => {
    const pages = anHour([{ keyId: "polite", delayMs: 10_000 }, ...times4({ keyId: "quick" })]);
    expect(pagesOf(pages, "polite")).toBeGreaterThan(120);
    expect(pagesOf(pages, "quick")).toBeGreaterThan(500);
  });

  test("a long delay outlives the object", () => {
    const { state } = reserve(NEW_HOST, { count: 1, delayMs: 0, ownDelayMs: 10_000, keyId: "calm" }, NOW);
    expect(isWorthKeeping(state, NOW)).toBe(true);
    expect(isWorthKeeping(state, NOW + 10_000)).toBe(false);
  });

  test("one that has left does not hold up the other", () => {
    const left = reserve(
      reserve(NEW_HOST, { count: 1, delayMs: 10_000, keyId: "stays" }, NOW).state,
      { count: 1, delayMs: 10_000, keyId: "leaves" },
      NOW,
    ).state;
    expect(pagesOf(anHour([{ keyId: "stays", delayMs: 10_000 }], left), "stays")).toBeGreaterThan(350);
  });
});

test("the state that an older version has stored is read", () => {
  const keys = { one: { nextAtMs: NOW + 900, lastStartMs: NOW, paceMs: 0 } };
  const state = HostStateSchema.parse({ nextAtMs: NOW + 500, lastStartMs: NOW, keys });
  const firstOf = (keyId: string) => reserve(state, { count: 1, delayMs: 0, ownDelayMs: 50, keyId }, NOW).startsAtMs;
  expect(firstOf("one")).toEqual([NOW + 900]);
  expect(firstOf("other")).toEqual([NOW + 500]);
});

test("server errors that ask for no pause space pages by two seconds at most", () => {
  let state = after(["a", "b", "c"].map((page) => ({ statusCode: 500, page })));
  for (let error = 0; error < 10; error++)
    state = report(state, { statusCode: 500, page: `${error}` }, own(state).refusedUntilMs);
  expect(own(state).paceMs).toBe(2_000);
  // A longer spacing, which the site has asked for, stays.
  const refused = after(Array.from({ length: 12 }, () => ({ statusCode: 429 })));
  expect(own(report(refused, { statusCode: 500 }, own(refused).refusedUntilMs)).paceMs).toBe(own(refused).paceMs);
});
