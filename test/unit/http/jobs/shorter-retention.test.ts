/** A retention that was shortened after a job had ended: the job says that it expires when it is not found any more. */
import { expect, test } from "vitest";
import { NO_COUNTS } from "../../../../src/core/account/meter.ts";
import type { JobKindName } from "../../../../src/core/jobs/job.ts";
import { documentId } from "../../../../src/core/scrape/document-id.ts";
import { DEFAULT_TEAM_ID } from "../../../../src/services/account/bootstrap-keys.ts";
import type { Deps } from "../../../../src/services/deps.ts";
import { createJobList } from "../../../../src/storage/jobs/job-list.ts";
import { createJobStore } from "../../../../src/storage/jobs/jobs.ts";
import { createFileStore } from "../../../../src/storage/scrape/files.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";
import { memoryBlobs } from "../../../fakes/memory/memory-blobs.ts";
import { nodeD1 } from "../../../fakes/memory/node-d1.ts";
import { testApp } from "../../../fakes/services/test-app.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

const HOUR_MS = 3_600_000;
const ID = "01a1fca9-c0e6-70a0-9c2a-f06008640789";

/** A job that has ended, stored for a day, whose results the service now keeps for an hour. */
async function ended(kind: JobKindName) {
  const clock = fixedClock();
  const db = nodeD1();
  const createdAtMs = clock.now();
  const times = { createdAtMs, endedAtMs: createdAtMs, expiresAtMs: createdAtMs + 24 * HOUR_MS };
  const counts = { completed: 1, total: 1, failed: 0, creditsUsed: 1, inFlight: 0, documents: 0 };
  const progress = { status: "completed", ...counts, costs: NO_COUNTS, rowsWritten: 0, messagesSent: 0, ...times };
  const blobs = memoryBlobs();
  await blobs.put("document", "{}");
  const ports = {
    frontiers: {
      progress: async () => progress,
      documents: async () => ({ progress, count: 0, runs: [] }),
      findDocument: async () => ({ object: "document", offset: 0, length: 2 }),
    },
    stepJobs: { progress: async () => progress },
    agentTurns: { ofRun: async () => undefined },
  } as unknown as Pick<Deps, "frontiers" | "stepJobs" | "agentTurns">;
  const [jobs, files] = [createJobStore(db), createFileStore(blobs)];
  const more = { apiVersion: "v2", target: "https://a.example/", optionsJson: "{}" } as const;
  await jobs.insert({ id: ID, teamId: DEFAULT_TEAM_ID, keyId: "key", kind, status: "completed", ...more, ...times });
  const settings = { resultRetentionMs: HOUR_MS };
  const app = testApp(testDeps({ clock, jobs, jobList: createJobList(db), blobs, files, ...ports, settings }));
  const expiry = new Date(createdAtMs + HOUR_MS).toISOString();
  return { ...app, clock, expiry, jobs, files, createdAtMs };
}

test.each<[JobKindName, string]>([
  ["crawl", "/v2/crawl"],
  ["batch_scrape", "/v1/batch/scrape"],
  ["extract", "/v2/extract"],
  ["agent", "/v2/agent"],
  ["llmstxt", "/v1/llmstxt"],
  ["deep_research", "/v1/deep-research"],
])("a job of the kind %s expires when it is not found any more", async (kind, path) => {
  const { ask, clock, expiry } = await ended(kind);
  const status = async () => await ask(`${path}/${ID}`);
  expect(await (await status()).json()).toMatchObject({ expiresAt: expiry });
  expect(await (await ask("/v2/jobs")).json()).toMatchObject({ jobs: [{ id: ID, expiresAt: expiry }] });
  clock.advance(HOUR_MS);
  expect((await status()).status).toBe(404);
});

test("a document of a job is found as long as the job", async () => {
  const { ask, clock } = await ended("crawl");
  const read = async () => (await ask(`/v2/scrape/${documentId(ID, 1)}`)).status;
  expect(await read()).toBe(200);
  clock.advance(HOUR_MS);
  expect(await read()).toBe(404);
});

test("a job that runs longer than results are kept is found, and says that it expires later", async () => {
  const { ask, clock, jobs, createdAtMs } = await ended("crawl");
  const expiry = async (path: string): Promise<unknown> => {
    const body = (await (await ask(path)).json()) as { expiresAt?: string; jobs?: { expiresAt: string }[] };
    return Date.parse(body.expiresAt ?? body.jobs?.[0]?.expiresAt ?? "") - createdAtMs;
  };
  await jobs.setStatus(ID, "scraping", undefined);
  for (const path of [`/v2/crawl/${ID}`, "/v2/jobs"]) expect(await expiry(path)).toBe(HOUR_MS);
  clock.advance(30 * HOUR_MS);
  for (const path of [`/v2/crawl/${ID}`, "/v2/jobs"]) expect(await expiry(path)).toBe(31 * HOUR_MS);
  await jobs.setStatus(ID, "completed", createdAtMs + 30 * HOUR_MS);
  clock.advance(HOUR_MS - 1);
  expect(await expiry(`/v2/crawl/${ID}`)).toBe(31 * HOUR_MS);
  clock.advance(1);
  expect((await ask(`/v2/crawl/${ID}`)).status).toBe(404);
});

test("a file of a job is found as long as the job", async () => {
  const { ask, clock, files, createdAtMs } = await ended("crawl");
  const file = { bytes: new TextEncoder().encode("picture"), contentType: "image/png" };
  const kept = { teamId: DEFAULT_TEAM_ID, expiresAtMs: createdAtMs, job: { id: ID, createdAtMs } };
  const token = await files.put(file, kept);
  expect(await (await ask(`/v2/files/${token}`)).text()).toBe("picture");
  expect((await ask(`/v2/files/${token.replace(ID, ID.replace("0", "1"))}`)).status).toBe(404);
  clock.advance(HOUR_MS);
  expect((await ask(`/v2/files/${token}`)).status).toBe(404);
});
