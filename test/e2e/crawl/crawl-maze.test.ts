import { beforeAll, describe, expect, test } from "vitest";
import { mazePaths } from "../../site/routes/maze.ts";
import { startSite, type Site } from "../../site/start-site.ts";
import { isShort } from "../../sample.ts";
import { call } from "../client.ts";

/** `MAZE_PAGES=2000` for the full proof. */
const PAGES = Number(process.env["MAZE_PAGES"] ?? (isShort() ? 120 : 250));

interface Line {
  url: string;
  outcome: "scraped" | "failed" | "skipped" | "pending";
  reason?: string;
  attempt?: number;
}

interface Counts {
  discovered: number;
  completed: number;
  failed: number;
  skipped: number;
  pending: number;
}

let site: Site;
beforeAll(async () => {
  site = await startSite({ mazePages: PAGES });
  return () => site.close();
});

/** Crawls the maze to the end. At each look the numbers have to add up. */
async function crawl(options: object): Promise<{ lines: Line[]; counts: Counts }> {
  const body = { url: `${site.url}/maze/`, sitemap: "skip", maxConcurrency: 50, ...options };
  const { id } = JSON.parse((await call("/v2/crawl", { body })).text) as { id: string };
  for (;;) {
    const { status } = JSON.parse((await call(`/v2/crawl/${id}?limit=1`)).text) as { status: string };
    const { counts } = JSON.parse((await call(`/v2/crawl/${id}/urls?limit=1`)).text) as { counts: Counts };
    const { discovered, completed, failed, skipped, pending } = counts;
    expect(completed + failed + skipped + pending).toBe(discovered);
    if (status !== "scraping") return { counts, lines: await allLines(id) };
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

async function allLines(id: string): Promise<Line[]> {
  const lines: Line[] = [];
  let path: string | undefined = `/v2/crawl/${id}/urls?limit=2000`;
  while (path !== undefined) {
    const page = JSON.parse((await call(path)).text) as { urls: Line[]; next?: string };
    lines.push(...page.urls);
    path = page.next === undefined ? undefined : new URL(page.next).pathname + new URL(page.next).search;
  }
  return lines;
}

function expectExplained({ lines, counts }: { lines: Line[]; counts: Counts }): void {
  expect(counts.pending).toBe(0);
  expect(lines).toHaveLength(counts.discovered);
  expect(new Set(lines.map(({ url }) => url)).size).toBe(lines.length);
  expect(lines.filter(({ outcome, reason }) => outcome !== "scraped" && reason === undefined)).toEqual([]);
  const count = (wanted: string) => lines.filter(({ outcome }) => outcome === wanted).length;
  expect({ completed: count("scraped"), failed: count("failed"), skipped: count("skipped") }).toEqual({
    completed: counts.completed,
    failed: counts.failed,
    skipped: counts.skipped,
  });
}

describe(`a crawl of a site of ${PAGES} pages with faults and traps`, () => {
  test("finds every page, ends, and explains every URL", { timeout: 60_000 + PAGES * 60 }, async () => {
    const limit = PAGES + 60;
    const { lines, counts } = await crawl({ limit, ignoreQueryParameters: true });
    expectExplained({ lines, counts });
    expect(counts.completed).toBe(limit);
    const byUrl = new Map(lines.map((line) => [line.url.slice(site.url.length), line]));
    expect(mazePaths(PAGES).filter((path) => byUrl.get(path)?.outcome !== "scraped")).toEqual([]);
    expect(site.hits("/maze/page/13"), "a page that failed at first is asked for again").toBeGreaterThan(1);
    expect(byUrl.get("/maze/moved/29/3"), "where a chain of redirects ends").toMatchObject({ reason: "duplicate" });
    expect(byUrl.get("/maze/loop/1"), "a loop").toMatchObject({ outcome: "failed", reason: "SCRAPE_REDIRECT_ERROR" });
    const endless = lines.filter(({ url, reason }) => url.includes("/maze/calendar/") && reason === "limit");
    expect(endless.length, "the calendar goes on").toBeGreaterThan(0);
  });

  test("does not get lost among session ids and facets", async () => {
    const limit = isShort() ? 80 : 150;
    const { lines, counts } = await crawl({ limit });
    expectExplained({ lines, counts });
    expect(counts.completed).toBe(limit);
    expect(lines.filter(({ reason }) => reason === "limit").length).toBeGreaterThan(limit);
  });
});
