import { describe, expect, test } from "vitest";
import { visibleRows } from "../../../src/ui/parts/visible-rows.ts";
import { filterOf, pathOf, setParts } from "../../../src/ui/jobs/job-filter.ts";
import type { Job } from "../../../src/ui/jobs/job-types.ts";
import { pageChart, quietFor, tickLabel } from "../../../src/ui/jobs/detail/page-chart.ts";
import { treeRows } from "../../../src/ui/jobs/detail/tree-rows.ts";
import { urlTree } from "../../../src/ui/jobs/detail/url-tree.ts";
import { withNewest } from "../../../src/ui/jobs/live/newest-jobs.ts";
import { adviceFor } from "../../../src/ui/jobs/explain-failure.ts";
import { shownOptions } from "../../../src/ui/jobs/shown-options.ts";

describe("a virtual list", () => {
  test.each([
    { why: "the top", top: 0, rows: { first: 0, end: 18 } },
    { why: "the middle", top: 5_000, rows: { first: 92, end: 118 } },
    { why: "the end", top: 499_500, rows: { first: 9_982, end: 10_000 } },
    { why: "a place that the list no longer has", top: 9_999_999, rows: { first: 9_982, end: 10_000 } },
  ])("draws only the rows around $why", ({ top, rows }) => {
    expect(visibleRows({ top, height: 500, rowHeight: 50, count: 10_000 })).toEqual(rows);
  });

  test("draws every row of a short list", () => {
    expect(visibleRows({ top: 0, height: 500, rowHeight: 50, count: 3 })).toEqual({ first: 0, end: 3 });
    expect(visibleRows({ top: 0, height: 500, rowHeight: 50, count: 0 })).toEqual({ first: 0, end: 0 });
  });
});

describe("the filter of jobs", () => {
  const NOW = Date.UTC(2026, 10, 21, 12);

  test("is read from the URL and becomes the query of the list", () => {
    const filter = filterOf(new URLSearchParams("kind=extract&status=failed&time=24h&search=a.example"));
    expect(setParts(filter)).toEqual({ kind: "extract", status: "failed", time: "24h", search: "a.example" });
    const query = new URL(pathOf(filter, { cursor: "5.x", limit: 50, nowMs: NOW }), "http://a.example").searchParams;
    expect(Object.fromEntries(query)).toEqual({
      kind: "extract",
      status: "failed",
      search: "a.example",
      limit: "50",
      from: "2026-11-20T12:00:00.000Z",
      cursor: "5.x",
    });
  });

  test("ignores unknown values", () => {
    expect(setParts(filterOf(new URLSearchParams("kind=toString&status=x&time=1y")))).toEqual({});
    expect(pathOf(filterOf(new URLSearchParams()), { cursor: null, limit: 5, nowMs: NOW })).toBe("/v2/jobs?limit=5");
  });

  test("newer jobs replace what was known of them, and older ones stay", () => {
    const job = (id: string, createdAt: string, status = "completed"): Job => ({ id, createdAt, status }) as Job;
    const known = [job("c", "3", "running"), job("b", "2"), job("a", "1")];
    const newest = [job("d", "4"), job("c", "3")];
    expect(withNewest(known, newest).map(({ id, status }) => `${id} ${status}`)).toEqual([
      "d completed",
      "c completed",
      "b completed",
      "a completed",
    ]);
  });
});

describe("the chart of a crawl's pages", () => {
  test("covers the whole time with round axes", () => {
    const { bars, yTicks, xTicks } = pageChart({ stepMs: 2_000, counts: [4, 14] }, 60_000);
    expect(bars).toHaveLength(30);
    expect(bars.slice(0, 3)).toEqual([2, 7, 0]);
    expect(yTicks).toEqual([0, 5, 10]);
    expect(xTicks.map(({ seconds, place }) => [tickLabel(seconds), place])).toEqual([
      ["0 s", 0],
      ["15 s", 0.25],
      ["30 s", 0.5],
      ["45 s", 0.75],
      ["1 min", 1],
    ]);
  });

  test("of a job without pages has axes", () => {
    expect(pageChart({ stepMs: 1_000, counts: [] }, 0)).toMatchObject({ yTicks: [0, 0.5, 1] });
  });

  test("a job is quiet since the end of the interval of its last page, and never before", () => {
    expect(quietFor({ stepMs: 1_000, counts: [1, 0, 3] }, 33_000)).toBe(30_000);
    expect(quietFor({ stepMs: 64_000, counts: [1, 2] }, 120_000)).toBe(0);
  });
});

test("the tree of URLs becomes rows, without those of closed segments", () => {
  const urls = ["https://a.example/", "https://a.example/docs/api/one", "https://a.example/docs/two"];
  const tree = urlTree(urls.map((url) => ({ url, outcome: "scraped" as const, depth: 0 })));
  const names = (changed: string[]) =>
    treeRows(tree, { openDepth: 2, changed: new Set(changed) }).map(
      ({ depth, kind, name }) => `${depth} ${kind} ${name}`,
    );
  const open = ["0 segment https://a.example", "1 url /", "1 segment /docs", "2 segment /api", "2 url /two"];
  expect(names([])).toEqual(open);
  expect(names(["https://a.example/docs/api"])).toEqual([...open.slice(0, 4), "3 url /one", "2 url /two"]);
  expect(names(["https://a.example"])).toEqual(["0 segment https://a.example"]);
});

describe("a job's request", () => {
  test("is shown as options in words", () => {
    const body = {
      url: "https://a.example",
      limit: 5,
      scrapeOptions: { onlyMainContent: false, formats: [{ type: "markdown" }, { type: "json", prompt: "Price" }] },
      includePaths: Array.from({ length: 10 }, (_, at) => `p${at}`),
    };
    expect(shownOptions(body)).toEqual([
      { name: "url", value: "https://a.example" },
      { name: "limit", value: "5" },
      { name: "scrapeOptions.onlyMainContent", value: "No" },
      { name: "scrapeOptions.formats", value: "markdown, json (1 options)" },
      { name: "includePaths", value: "p0, p1, p2, p3, p4, p5, p6, p7 and 2 more" },
    ]);
  });
});

test("known errors have advice, and others have none", () => {
  expect(adviceFor("SCRAPE_TIMEOUT")).toContain("timeout");
  expect(adviceFor(undefined, "Insufficient credits to perform this request")).toContain("budget");
  expect(adviceFor("SOMETHING_ELSE", "It failed")).toBeUndefined();
});
