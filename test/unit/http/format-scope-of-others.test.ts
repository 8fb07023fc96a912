import { expect, test } from "vitest";
import type { ApiKey } from "../../../src/core/account/api-key.ts";
import { DEFAULT_TEAM_ID } from "../../../src/services/account/bootstrap-keys.ts";
import type { JobSpecification } from "../../../src/jobs/kind.ts";
import { findJob } from "../../../src/services/jobs/find-job.ts";
import type { Deps } from "../../../src/services/deps.ts";
import { createIdempotencyKeys } from "../../../src/storage/jobs/idempotency-keys.ts";
import { createJobStore } from "../../../src/storage/jobs/jobs.ts";
import { nodeD1 } from "../../fakes/memory/node-d1.ts";
import { agentService } from "../../fakes/services/agent-service.ts";
import { testApp } from "../../fakes/services/test-app.ts";
import { ADMIN_KEY, testDeps } from "../../fakes/services/test-deps.ts";
import { monitorService, PRICES, PRICES_URL } from "../../fakes/services/monitor-service.ts";

const RESTRICTED = "restricted to the following formats: markdown";
const SCHEMA = { type: "object", properties: { price: { type: "string" } } };
const FIELDS = {
  ...PRICES,
  targets: [
    {
      type: "scrape",
      urls: [PRICES_URL],
      scrapeOptions: { formats: [{ type: "changeTracking", modes: ["json"], schema: SCHEMA }] },
    },
  ],
};

type Post = ReturnType<typeof monitorService>["post"];

/** Another key of the same team, which may read markdown alone. */
async function markdownKey(post: Post): Promise<string> {
  const made = await post("/v2/team/keys", { name: "m", scopes: { formats: ["markdown"] } }, { key: ADMIN_KEY });
  return ((await made.json()) as { data: { key: string } }).data.key;
}

const outcome = async (response: Response) => [response.status, await response.text()];
const REFUSED = [403, expect.stringContaining(RESTRICTED)];

test("a key for markdown neither reads, runs nor redirects another key's monitor of fields", async () => {
  const { create, run, post, ask } = monitorService();
  const id = await create(FIELDS);
  const { id: checkId } = await run(id);
  const key = await markdownKey(post);
  expect(await outcome(await ask(`/v2/monitor/${id}/checks/${checkId}`, { key }))).toEqual(REFUSED);
  expect(await outcome(await post(`/v2/monitor/${id}/run`, {}, { key }))).toEqual(REFUSED);
  const body = JSON.stringify({ webhook: { url: "https://other.example/" } });
  const headers = { "Content-Type": "application/json" };
  expect(await outcome(await ask(`/v2/monitor/${id}`, { key, method: "PATCH", body, headers }))).toEqual(REFUSED);
});

test("a key for markdown uses another key's monitor of text", async () => {
  const { create, run, post, ask } = monitorService();
  const id = await create();
  const { id: checkId } = await run(id);
  const key = await markdownKey(post);
  expect((await ask(`/v2/monitor/${id}/checks/${checkId}`, { key })).status).toBe(200);
});

test("a key for markdown neither reads nor deletes a thread of another key's agents", async () => {
  const { post, ask } = agentService({ pages: { [PRICES_URL]: "<main><h1>Cod</h1><p>Cod costs £4.</p></main>" } });
  const run = await post("/v2/agent", { prompt: "What does cod cost?", urls: [PRICES_URL] });
  const { threadId } = (await run.json()) as { threadId: string };
  const key = await markdownKey(post);
  const path = `/v2/agent/threads/${threadId}`;
  expect(await outcome(await ask(`${path}?includeData=true`, { key }))).toEqual(REFUSED);
  expect(await outcome(await ask(path, { key, method: "DELETE" }))).toEqual(REFUSED);
  expect((await ask(path)).status).toBe(200);
});

const LONG_TAGS = Array.from({ length: 90 }, (_, at) => `.${"c".repeat(250)}-${at}`);
const LONG_SCHEMA = { ...SCHEMA, description: "d".repeat(20_000) };

test.each([
  { options: {}, code: "found" },
  { options: { formats: ["markdown"] }, code: "found" },
  { options: { formats: ["html"] }, code: "FORMAT_RESTRICTED" },
  { options: { formats: ["markdown"], excludeTags: LONG_TAGS }, code: "found" },
  { options: { formats: [{ type: "json", prompt: "Prices", schema: LONG_SCHEMA }] }, code: "FORMAT_RESTRICTED" },
  { options: { formats: ["markdown"], excludeTags: LONG_TAGS }, isGone: true, code: "FORMAT_RESTRICTED" },
])("a key for markdown asks for another key's batch: $code ($#)", async ({ options, code, isGone = false }) => {
  const db = nodeD1();
  let optionsJson: string | undefined;
  const frontiers = {
    start: async (_id: string, { specification }: { specification: string }) => {
      optionsJson = (JSON.parse(specification) as JobSpecification).record?.optionsJson;
      return "started";
    },
    recordedOptions: async () => (isGone ? undefined : optionsJson),
  } as unknown as Deps["frontiers"];
  const deps = testDeps({
    jobs: createJobStore(db, { frontiers }),
    idempotencyKeys: createIdempotencyKeys(db),
    frontiers,
  });
  const started = await testApp(deps).post("/v2/batch/scrape", { urls: [PRICES_URL], ...options });
  const { id } = (await started.json()) as { id: string };
  const key = { id: "m", teamId: DEFAULT_TEAM_ID, scopes: { admin: false, formats: ["markdown"] } } as ApiKey;
  const found = await findJob(deps, { key }, { id, kinds: ["batch_scrape"] }).then(
    () => "found",
    (error: { code: string }) => error.code,
  );
  expect(found).toBe(code);
});
