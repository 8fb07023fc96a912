import type { Page } from "playwright-core";

/** Mocks the responses for a completed crawl of many pages, which have metadata only, and of as many failures. */
export async function serveCrawl(page: Page, { id, completed }: { id: string; completed: number }): Promise<void> {
  const url = (at: number): string => `https://harbour.example/log/${at}`;
  const list = <Item>(make: (at: number) => Item): Item[] => Array.from({ length: completed }, (_, at) => make(at));
  const pages = { limit: null, total: completed, completed, failed: completed, pending: 0, skipped: 0 };
  const time = "2026-11-21T10:15:00.000Z";
  const job = {
    id,
    kind: "crawl",
    status: "completed",
    target: url(0),
    apiVersion: "v2",
    keyId: id,
    statusPath: `/v2/crawl/${id}`,
    createdAt: time,
    endedAt: time,
    expiresAt: time,
  };
  const details = {
    success: true,
    job,
    durationMs: 90_000,
    request: null,
    pages: { ...pages, discovered: 2 * completed, creditsUsed: completed },
    pageTimes: { stepMs: 1_000, counts: [4, 9] },
  };
  await page.route(`**/v2/jobs/${id}`, (route) => route.fulfill({ json: details }));
  const urls = list((at) => ({ url: url(at), outcome: "scraped", depth: at % 4 }));
  await page.route(`**/v2/crawl/${id}/urls*`, (route) => route.fulfill({ json: { counts: pages, urls } }));
  const errors = list((at) => ({
    id: String(at),
    timestamp: time,
    url: url(at),
    code: "SCRAPE_TIMEOUT",
    error: "Slow",
  }));
  await page.route(`**/v2/crawl/${id}/errors`, (route) => route.fulfill({ json: { errors, robotsBlocked: [] } }));
  await page.route(`**/v2/crawl/${id}?*`, (route) => {
    const query = new URL(route.request().url()).searchParams;
    const skip = Number(query.get("skip") ?? 0);
    const places = Array.from({ length: Math.min(Number(query.get("limit")), 60) }, (_, at) => skip + at);
    const data = places.map((at) => ({
      metadata: { title: `Page ${at}`, url: url(at), statusCode: 200, scrapeId: crypto.randomUUID() },
    }));
    return route.fulfill({ json: { success: true, status: "completed", completed, total: completed, data } });
  });
}
