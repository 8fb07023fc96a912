import { readFile } from "node:fs/promises";
import { unzipSync } from "fflate";
import { expect } from "vitest";
import { call, fresh, sitePage } from "../../client.ts";
import { inject } from "../../inject.ts";
import type { Task } from "./task.ts";
import type { User } from "./user.ts";

/** Opens a job from the list by its address and a part of its ID. */
async function openJob(user: User, id: string): Promise<void> {
  await user.open("Jobs", "g j");
  const record = user.page
    .getByRole("main")
    .getByRole("listitem")
    .filter({ hasText: id.slice(0, 13) });
  await user.press("link", /127\.0\.0\.1/, record);
  await user.sees(id, await user.seesA("region", "Request"));
}

const results = (user: User) => user.page.getByRole("region", { name: "Results", exact: true });
/** The service takes longer on a busy machine. */
const SOON = { timeout: 45_000 };
const address = (user: User): string => user.page.url();

export const JOB_TASKS: readonly Task[] = [
  {
    says: "Crawl a site and watch its pages arrive",
    clicks: 4,
    keys: 3,
    async walk(user) {
      await user.open("Jobs", "g j");
      await user.type("Start URL", sitePage(fresh("/docs/")));
      await user.type("Page limit", "3");
      await user.press("button", "Start crawl");
      await user.seesA("button", /Configuration|Install|API|Manual/, results(user));
      await user.sees("3 of 3 pages");
    },
  },
  {
    says: "Find out why /docs/api was skipped",
    clicks: 4,
    keys: 4,
    async walk(user, { crawlId }) {
      await openJob(user, crawlId);
      await user.press("tab", /^All URLs/);
      await user.type("Filter by URL or reason", "api");
      const line = results(user).getByRole("listitem").filter({ hasText: "Skipped" });
      await user.sees("Matched by the exclude paths", line);
    },
  },
  {
    says: "Find out which page of the batch failed, and why",
    clicks: 3,
    keys: 4,
    async walk(user, { batchId, missingUrl }) {
      await openJob(user, batchId);
      await user.press("tab", /^Errors/);
      const failures = await user.seesA("group", "Failed pages");
      await user.seesA("link", missingUrl, failures);
      await user.sees("SCRAPE_", failures);
    },
  },
  {
    says: "Try the failed pages again",
    clicks: 4,
    keys: 5,
    async walk(user, { batchId, missingUrl }) {
      const endOf = async (): Promise<unknown> =>
        (JSON.parse((await call(`/v2/jobs/${batchId}`)).text) as { job: { endedAt: string | null } }).job.endedAt;
      const endedAt = await endOf();
      await openJob(user, batchId);
      await user.press("button", "Retry failed pages");
      // The same job runs again, with its failed page alone.
      await expect.poll(async () => [null, endedAt].includes((await endOf()) as string | null), SOON).toBe(false);
      expect(address(user)).toContain(batchId);
      await user.press("tab", /^Errors/);
      await user.sees(missingUrl, user.page.getByRole("group", { name: "Failed pages" }));
    },
  },
  {
    says: "Run yesterday's crawl again with a higher limit",
    clicks: 5,
    keys: 5,
    async walk(user, { crawlId }) {
      await openJob(user, crawlId);
      await user.press("link", "Open in playground");
      await user.type(/^Limit/, "21");
      await user.run();
      const job = await user.seesA("link", "View crawl");
      const { text } = await call(`/v2/jobs/${(await job.getAttribute("href"))?.split("/").at(-1)}`);
      expect(JSON.parse(text)).toMatchObject({ request: { body: { limit: 21, excludePaths: ["docs/api"] } } });
    },
  },
  {
    says: "Stop a crawl that was a mistake",
    clicks: 5,
    keys: 5,
    async walk(user) {
      await user.open("Jobs", "g j");
      await user.type("Start URL", sitePage("/tree/"));
      await user.press("button", "Start crawl");
      await user.press("button", "Cancel crawl");
      await user.press("button", "Confirm cancel");
      await user.sees("Cancelled", user.page.getByRole("main"));
    },
  },
  {
    says: "Find a batch of last week among all jobs",
    clicks: 7,
    keys: 5,
    async walk(user, { batchId }) {
      await user.open("Jobs", "g j");
      await user.choose("Kind", "Batch scrape");
      await user.choose("Time", "Last 7 days");
      await user.type("Search by URL or ID", batchId.slice(0, 13));
      const rows = user.page.getByRole("region", { name: "Jobs" }).getByRole("listitem");
      await expect.poll(() => rows.count()).toBe(1);
      await user.press("link", /127\.0\.0\.1/, rows);
      await user.seesA("heading", /^Batch scrape of/);
    },
  },
  {
    says: "Send a colleague a link to the results of a crawl",
    clicks: 3,
    keys: 4,
    async walk(user, { crawlId }) {
      await openJob(user, crawlId);
      await user.press("button", "Copy link");
      await user.sees("Copied");
      const link = await user.page.evaluate<string>("navigator.clipboard.readText()");
      expect(link).toBe(`${inject("serviceUrl")}/#/jobs/${crawlId}`);
    },
  },
  {
    says: "Keep all pages of a crawl as Markdown files",
    clicks: 3,
    keys: 4,
    async walk(user, { crawlId }) {
      await openJob(user, crawlId);
      const saving = user.page.waitForEvent("download");
      await user.press("button", /^Download Markdown/);
      const files = unzipSync(new Uint8Array(await readFile(await (await saving).path())));
      expect(Object.keys(files).some((name) => name.endsWith("install.md"))).toBe(true);
    },
  },
  {
    says: "Read one page that a crawl has found",
    clicks: 3,
    keys: 4,
    async walk(user, { crawlId }) {
      await openJob(user, crawlId);
      await user.press("button", /\/docs\/install$/, results(user));
      const page = user.page.getByRole("dialog");
      await user.seesA("tab", "Rendered", page);
      await user.seesA("heading", /nstall/, page.getByRole("tabpanel"));
    },
  },
  {
    says: "Be told when the site of this crawl changes",
    clicks: 5,
    keys: 5,
    async walk(user, { crawlId }) {
      await openJob(user, crawlId);
      await user.press("link", "Make this a monitor");
      const name = `Manual ${crypto.randomUUID().slice(0, 8)}`;
      await user.type("Name", name);
      await user.press("button", "Create monitor");
      await user.seesA("heading", name);
      await user.sees("No checks yet");
    },
  },
];
