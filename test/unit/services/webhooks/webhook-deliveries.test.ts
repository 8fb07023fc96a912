import { expect, test } from "vitest";
import { findDelivery, replayDelivery } from "../../../../src/services/webhooks/webhook-deliveries.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

const JOB_ID = "019a9f6e-2b1c-7c55-9e0d-3f1f6f0a2c11";
const CHECK_ID = "019a9f6e-2b1c-7c55-9e0d-3f1f6f0a2c12";
const job = { id: JOB_ID, teamId: "team", keyId: "other", kind: "crawl", optionsJson: '{"scrapeOptions":{"formats":[{"type":"html"}]}}' }; // prettier-ignore
const monitor = { teamId: "team", keyId: "other", config: { targets: [{ type: "scrape", scrapeOptions: { formats: [{ type: "json" }] } }] } }; // prettier-ignore

function world(jobId: string | undefined, scopes: object) {
  const stored = { id: "delivery", teamId: "team", jobId, requestBody: "page", response: { body: "ok" }, isBodyComplete: true }; // prettier-ignore
  const deps = {
    ...testDeps(),
    webhookDeliveries: { find: async () => stored },
    jobs: {
      find: async (id: string) => (id === JOB_ID ? job : undefined),
      wholeOptions: async ({ optionsJson }: { optionsJson: string }) => optionsJson,
    },
    monitors: {
      findCheck: async (id: string) => (id === CHECK_ID ? { monitorId: "monitor" } : undefined),
      find: async () => monitor,
    },
  } as never;
  return { deps, caller: { key: { id: "key", teamId: "team", scopes: { admin: false, ...scopes } } } as never };
}

test.each([
  [JOB_ID, {}, undefined],
  [JOB_ID, { formats: ["html"] }, undefined],
  [JOB_ID, { endpoints: ["account", "crawl"] }, undefined],
  [CHECK_ID, { endpoints: ["account", "monitor"] }, undefined],
  [undefined, { formats: ["markdown"] }, undefined],
  [JOB_ID, { formats: ["markdown"] }, "FORMAT_RESTRICTED"],
  [JOB_ID, { endpoints: ["account"] }, "ENDPOINT_RESTRICTED"],
  [CHECK_ID, { endpoints: ["account", "crawl"] }, "ENDPOINT_RESTRICTED"],
  [CHECK_ID, { formats: ["json"] }, undefined],
  [CHECK_ID, { formats: ["markdown"] }, "FORMAT_RESTRICTED"],
  ["deleted", { formats: ["markdown"] }, "FORBIDDEN"],
])("the bodies of a delivery of %s are for keys that may read its job: %j", async (jobId, scopes, refusal) => {
  const { deps, caller } = world(jobId, scopes);
  const found = await findDelivery(deps, caller, "delivery");
  expect([found.requestBody, found.response?.body, found.isBodyComplete]).toEqual(
    refusal === undefined ? ["page", "ok", true] : ["", undefined, false],
  );
  if (refusal !== undefined)
    await expect(replayDelivery(deps, caller, "delivery")).rejects.toMatchObject({ code: refusal });
});
