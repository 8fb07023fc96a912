import { expect, test } from "vitest";
import type { UrlCursor, UrlLine } from "../../../../../src/ports/crawl/frontier.ts";
import { DEFAULT_TEAM_ID } from "../../../../../src/services/account/bootstrap-keys.ts";
import { testApp } from "../../../../fakes/services/test-app.ts";
import { testDeps } from "../../../../fakes/services/test-deps.ts";

const ID = "019a9f6e-2b1c-7c55-9e0d-3f1f6f0a2c11";
const LINES = 6_500;

/** A crawl with many lines; `reads` tells where each reading began and how much it wanted. */
function crawlWithLines() {
  const reads: { row: number; limit: number }[] = [];
  const line = (row: number): UrlLine => ({ url: `https://a.example/${row}`, outcome: "scraped", depth: 1 });
  const urls = async (_id: string, { cursor, limit }: { cursor: UrlCursor; limit: number }) => {
    reads.push({ row: cursor.row, limit });
    const end = Math.min(LINES, cursor.row + limit);
    const lines = Array.from({ length: end - cursor.row }, (_, at) => line(cursor.row + at));
    return { lines, next: end < LINES ? { part: "queue" as const, row: end, place: 0 } : undefined };
  };
  const job = { id: ID, teamId: DEFAULT_TEAM_ID, kind: "crawl", expiresAtMs: Number.MAX_SAFE_INTEGER };
  const progress = async () => ({ discovered: LINES, completed: LINES, failed: 0, skipped: 0, pending: 0 });
  const { ask } = testApp(
    testDeps({ jobs: { find: async () => job } as never, frontiers: { urls, progress } as never }),
  );
  return { ask: (query: string) => ask(`/v2/crawl/${ID}/urls${query}`), reads };
}

test("CSV without a limit holds every line, read in parts", async () => {
  const { ask, reads } = crawlWithLines();
  const response = await ask("?format=csv");
  expect(response.headers.get("content-type")).toContain("text/csv");
  expect(response.headers.get("link")).toBeNull();
  const lines = (await response.text()).trimEnd().split("\r\n");
  expect(lines).toHaveLength(LINES + 1);
  expect(lines.at(-1)).toContain(`https://a.example/${LINES - 1},`);
  expect(new Set(lines).size).toBe(lines.length);
  expect(reads.length).toBeGreaterThan(1);
});

test("a client that leaves ends the reading", async () => {
  const { ask, reads } = crawlWithLines();
  const reader = (await ask("?format=csv")).body?.getReader();
  await reader?.read();
  await reader?.cancel();
  expect(reads.length).toBeLessThanOrEqual(2);
});

test("CSV with a limit, and JSON, are pages that name the next one", async () => {
  const { ask } = crawlWithLines();
  const csv = await ask("?format=csv&limit=10");
  expect((await csv.text()).trimEnd().split("\r\n")).toHaveLength(11);
  expect(csv.headers.get("link")).toContain("cursor=q10.0");
  const json = (await (await ask("")).json()) as { urls: unknown[]; next?: string };
  expect(json.urls).toHaveLength(1_000);
  expect(json.next).toContain("cursor=q1000.0");
});
