import { rm } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeKey } from "../../../src/tools/setup/kept-keys.ts";
import { makeOwnedFolder } from "../../../src/tools/process/run-leftovers.ts";
import { startSite, type Site } from "../../site/start-site.ts";
import { call } from "../client.ts";
import { startService, type TestService } from "../service.ts";

/** `CRASHES=5` for the full proof, with 500 pages; once is enough to notice a fault in every run of the tests. */
const CRASHES = Number(process.env["CRASHES"] ?? 1);
const PAGES = CRASHES === 1 ? 120 : 500;

let site: Site;
let persist: string;
let service: TestService | undefined;
beforeAll(async () => {
  persist = makeOwnedFolder("crash");
  site = await startSite({ treePages: PAGES });
});
afterAll(async () => {
  await service?.stop();
  await site.close();
  await rm(persist, { recursive: true, force: true, maxRetries: 3 });
});

interface Status {
  status: string;
  completed: number;
  total: number;
  next?: string;
  data: { metadata: { sourceURL: string } }[];
}

test(
  `a crawl of ${PAGES} pages survives ${CRASHES} crash(es) of the service, with each page once`,
  // In the short form, the soak kills the service in the midst of crawls, and the watchdog's test its runtime.
  { timeout: 120_000 + CRASHES * 60_000, tags: ["long"] },
  async () => {
    const settings = { API_KEY: makeKey(), ADMIN_KEY: makeKey() };
    service = await startService({ persist, settings });
    // Six pages at a time, so that it does not end before it is killed.
    const body = { url: `${site.url}/tree/`, limit: 1000, sitemap: "skip", maxConcurrency: 6 };
    const { id } = JSON.parse((await call("/v2/crawl", { body, service })).text) as { id: string };
    const status = async (query = "?limit=1"): Promise<Status> =>
      JSON.parse((await call(`/v2/crawl/${id}${query}`, service === undefined ? {} : { service })).text) as Status;

    for (let crash = 1; crash <= CRASHES; crash++) {
      const before = await until(status, ({ completed }) => completed >= (PAGES / (CRASHES + 2)) * crash);
      expect(before.status).toBe("scraping");
      await service.kill();
      service = await startService({ persist, settings });
    }
    const end = await until(status, (now) => now.status !== "scraping");
    expect(end).toMatchObject({ status: "completed", completed: PAGES, total: PAGES });

    const sources: string[] = [];
    for (let skip = 0; skip < PAGES;) {
      const page = await status(`?skip=${skip}`);
      sources.push(...page.data.map(({ metadata }) => metadata.sourceURL));
      skip += page.data.length;
    }
    expect(new Set(sources).size).toBe(PAGES);
    expect(sources).toHaveLength(PAGES);
  },
);

async function until(read: () => Promise<Status>, isThere: (status: Status) => boolean): Promise<Status> {
  const endsAtMs = Date.now() + 90_000;
  for (;;) {
    const status = await read();
    if (isThere(status)) return status;
    if (Date.now() > endsAtMs) throw new Error(`It goes on: ${JSON.stringify({ ...status, data: [] })}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
