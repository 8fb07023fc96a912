import { expect, test } from "vitest";
import type { Deps } from "../../../../src/services/deps.ts";
import { createIdempotencyKeys } from "../../../../src/storage/jobs/idempotency-keys.ts";
import { createJobStore } from "../../../../src/storage/jobs/jobs.ts";
import { nodeD1 } from "../../../fakes/memory/node-d1.ts";
import { testApp } from "../../../fakes/services/test-app.ts";
import { ADMIN_KEY, testDeps } from "../../../fakes/services/test-deps.ts";

const URLS = ["https://a.example/"];

test.each([
  { what: "plain options", options: { onlyMainContent: false }, status: 200 },
  { what: "a header that says what is taken", options: { headers: { "Accept-Language": "fi" } }, status: 200 },
  { what: "a header that may be a secret", options: { headers: { "X-Team": "secret" } }, status: 403 },
  { what: "a typed text", options: { actions: [{ type: "write", text: "secret" }] }, status: 403 },
])("another key of the team adds URLs to a batch with $what: $status", async ({ options, status }) => {
  const db = nodeD1();
  const deps = testDeps({
    jobs: createJobStore(db),
    idempotencyKeys: createIdempotencyKeys(db),
    frontiers: {
      start: async () => "started",
      append: async () => "appended",
      progress: async () => undefined,
    } as unknown as Deps["frontiers"],
  });
  const { post } = testApp(deps);
  const made = await post("/v2/team/keys", { name: "other" }, { key: ADMIN_KEY });
  const { key } = (await made.json<{ data: { key: string } }>()).data;
  const { id } = await (await post("/v2/batch/scrape", { urls: URLS, ...options })).json<{ id: string }>();
  const append = { urls: ["https://own.example/"], appendToId: id };
  expect((await post("/v2/batch/scrape", append, { key })).status).toBe(status);
  expect((await post("/v2/batch/scrape", append)).status, "its own key").toBe(200);
});
