import { expect, test, vi } from "vitest";
import { NO_COUNTS } from "../../../../src/core/account/meter.ts";
import type { Deps } from "../../../../src/services/deps.ts";
import { createIdempotencyKeys } from "../../../../src/storage/jobs/idempotency-keys.ts";
import { createJobStore } from "../../../../src/storage/jobs/jobs.ts";
import { memoryBlobs } from "../../../fakes/memory/memory-blobs.ts";
import { nodeD1 } from "../../../fakes/memory/node-d1.ts";
import { testApp } from "../../../fakes/services/test-app.ts";
import { ADMIN_KEY, testDeps } from "../../../fakes/services/test-deps.ts";

const PROGRESS = {
  status: "scraping", completed: 1, total: 1, creditsUsed: 1, inFlight: 0, documents: 1, costs: NO_COUNTS,
  createdAtMs: 0, expiresAtMs: 1, rowsWritten: 0, messagesSent: 0,
}; // prettier-ignore

test("documents that are read for a key that may not read them are not read on", async () => {
  const db = nodeD1();
  const frontiers = {
    start: async () => "started",
    recordedOptions: async () => undefined,
    documents: async () => ({
      progress: PROGRESS,
      count: 1,
      runs: [{ object: "o", documents: [{ offset: 0, length: 100_000 }] }],
    }),
  } as unknown as Deps["frontiers"];
  const cancel = vi.fn<() => void>();
  const blobs = memoryBlobs();
  blobs.stream = async () => ({
    body: new ReadableStream({ type: "bytes", pull: (controller) => controller.enqueue(new Uint8Array(10)), cancel }),
    size: 100_000,
    contentType: undefined,
    metadata: {},
  });
  const jobs = createJobStore(db, { frontiers });
  const { post, ask } = testApp(testDeps({ jobs, idempotencyKeys: createIdempotencyKeys(db), frontiers, blobs }));
  const started = await post("/v2/batch/scrape", { urls: ["https://a.example/"], formats: ["html"] });
  const { id } = (await started.json()) as { id: string };
  const made = await post("/v2/team/keys", { name: "m", scopes: { formats: ["markdown"] } }, { key: ADMIN_KEY });
  const { data } = (await made.json()) as { data: { key: string } };
  // The record of the job is known from now on, and its documents are read before the record is.
  const own = await ask(`/v2/batch/scrape/${id}`);
  expect(own.status).toBe(200);
  await own.body?.cancel();
  await expect.poll(() => cancel.mock.calls.length).toBe(1);
  expect((await ask(`/v2/batch/scrape/${id}`, { key: data.key })).status).toBe(403);
  await expect.poll(() => cancel.mock.calls.length).toBe(2);
});
