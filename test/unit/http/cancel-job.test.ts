import { expect, test } from "vitest";
import type { JobKindName } from "../../../src/core/jobs/job.ts";
import { sha256Hex } from "../../../src/core/text/hash.ts";
import { DEFAULT_TEAM_ID } from "../../../src/services/account/bootstrap-keys.ts";
import { NO_COUNTS } from "../../../src/core/account/meter.ts";
import { statusFields } from "../../../src/http/jobs/job-responses.ts";
import { jobWarning } from "../../../src/services/jobs/job-warning.ts";
import type { JobProgress } from "../../../src/ports/crawl/frontier.ts";
import { createJobStore } from "../../../src/storage/jobs/jobs.ts";
import { fixedClock } from "../../fakes/fixed-clock.ts";
import { nodeD1 } from "../../fakes/memory/node-d1.ts";
import { testApp } from "../../fakes/services/test-app.ts";
import { testDeps } from "../../fakes/services/test-deps.ts";

const STRANGER = `fc-${"d".repeat(32)}`;
const WARNING =
  "Up to 3 page(s) were being scraped when the job was cancelled; those that had begun are finished, listed and paid.";

/** A job of this kind that is running, with so many pages in flight. */
async function running(kind: JobKindName, inFlight: number) {
  const clock = fixedClock();
  const jobs = createJobStore(nodeD1());
  const frontiers = { cancel: async () => "scraping", progress: async () => ({ inFlight }) } as never;
  const id = crypto.randomUUID();
  const job = { id, teamId: DEFAULT_TEAM_ID, keyId: "key", kind, status: "scraping" as const, apiVersion: "v2" as const, target: "https://a.example/", optionsJson: "{}", createdAtMs: clock.now(), endedAtMs: undefined, expiresAtMs: clock.now() + 60_000 }; // prettier-ignore
  await jobs.insert(job);
  return { id, job, ...testApp(testDeps({ clock, jobs, frontiers })) };
}

test.each([
  { path: "/v2/crawl", kind: "crawl" },
  { path: "/v1/crawl", kind: "crawl" },
  { path: "/v1/crawl", kind: "batch_scrape" },
  { path: "/v2/batch/scrape", kind: "batch_scrape" },
  { path: "/v1/batch/scrape", kind: "batch_scrape" },
] as const)("DELETE $path of a $kind says which pages are still paid", async ({ path, kind }) => {
  const busy = await running(kind, 3);
  const answer = await busy.ask(`${path}/${busy.id}`, { method: "DELETE" });
  expect([answer.status, await answer.json()]).toEqual([
    200,
    { success: true, status: "cancelled", pagesInFlight: 3, warning: WARNING },
  ]);
  expect(await busy.deps.jobs.find(busy.id)).toMatchObject({ status: "cancelled" });

  const idle = await running(kind, 0);
  const told = await (await idle.ask(`${path}/${idle.id}`, { method: "DELETE" })).json();
  expect(told).toEqual({ success: true, status: "cancelled", pagesInFlight: 0 });
});

test("the status of a cancelled job says so until these pages have ended", async () => {
  const { job } = await running("batch_scrape", 3);
  const progress = { status: "cancelled", inFlight: 3, completed: 9, robotsBlocked: 0 } as JobProgress;
  expect(jobWarning(job, progress)).toBe(WARNING);
  expect(jobWarning(job, { ...progress, inFlight: 0 })).toBeUndefined();
  const waitsUntilMs = Date.parse("2026-01-02T03:04:05Z");
  expect(jobWarning(job, { ...progress, status: "scraping", waitsUntilMs })).toContain("2026-01-02T03:04:05.000Z");
  expect(jobWarning(job, { ...progress, status: "scraping" })).toBeUndefined();
  expect(jobWarning(job, { ...progress, status: "completed" })).toBeUndefined();
});

test.each(["v1", "v2"] as const)("the status of version %s has the warning", async (version) => {
  const { job } = await running("batch_scrape", 3);
  const pages = { inFlight: 3, completed: 9, total: 12, robotsBlocked: 0, creditsUsed: 9, costs: NO_COUNTS };
  const times = { createdAtMs: 0, endedAtMs: 1000, expiresAtMs: 9000 };
  const progress = { status: "cancelled", ...pages, ...times } as unknown as JobProgress;
  expect(statusFields(job, progress, { version, nowMs: 2000 })).toMatchObject({ warning: WARNING });
});

test("a batch that belongs to another team is answered like one that never existed", async () => {
  const { id, deps, post } = await running("batch_scrape", 0);
  await deps.keys.insert({ id: "other", teamId: "other", name: "other", prefix: "fc-000000", scopes: { admin: false }, limits: {}, monthlyCredits: undefined, maxConcurrency: undefined, createdAtMs: 0, expiresAtMs: undefined, revokedAtMs: undefined }, await sha256Hex(STRANGER)); // prettier-ignore
  const append = async (appendToId: string): Promise<unknown> => {
    const answer = await post("/v2/batch/scrape", { urls: ["https://a.example"], appendToId }, { key: STRANGER });
    return [answer.status, await answer.json()];
  };
  const unknown = await append(crypto.randomUUID());
  expect(unknown).toEqual([404, { success: false, error: "Job not found" }]);
  expect(await append(id)).toEqual(unknown);
});

test("the status of a crawl says which sitemaps it has not read, unless it has reached its limit", async () => {
  const { job } = await running("crawl", 0);
  const sitemapProblems = ["https://a.example/sitemap.xml: the site answers 503"];
  const progress = { status: "completed", inFlight: 0, completed: 9, robotsBlocked: 0, sitemapProblems } as unknown as JobProgress; // prettier-ignore
  expect(jobWarning(job, progress)).toContain("https://a.example/sitemap.xml: the site answers 503");
  expect(jobWarning(job, { ...progress, limit: 9 })).toBeUndefined();
  expect(jobWarning(job, { ...progress, sitemapProblems: undefined })).toBeUndefined();
  expect(jobWarning(job, { ...progress, isListCut: true, limit: 9 })).toMatch(/^More URLs were found/);
});
