import { describe, expect, test } from "vitest";
import type { NewFrontier } from "../../../../src/ports/crawl/frontier.ts";
import type { Deps } from "../../../../src/services/deps.ts";
import { createIdempotencyKeys } from "../../../../src/storage/jobs/idempotency-keys.ts";
import { nodeD1 } from "../../../fakes/memory/node-d1.ts";
import { testApp } from "../../../fakes/services/test-app.ts";
import { ADMIN_KEY, testDeps } from "../../../fakes/services/test-deps.ts";

const URLS = ["/1", "/2", "/3"].map((path) => `https://harbour.example${path}`);
const BATCHES = ["/v1/batch/scrape", "/v2/batch/scrape"];

/** A service whose key has `credits` this month. */
function service(credits: number) {
  const started: { id: string; keyId: string }[] = [];
  const deps = testDeps({
    settings: { creditsPerMonth: credits },
    idempotencyKeys: createIdempotencyKeys(nodeD1()),
    jobs: { insert: async () => undefined, find: async () => undefined } as unknown as Deps["jobs"],
    frontiers: {
      start: async (id: string, { config }: NewFrontier) => {
        started.push({ id, keyId: config.billing?.keyId ?? "" });
        return "started";
      },
      progress: async () => undefined,
    } as unknown as Deps["frontiers"],
  });
  return { ...testApp(deps), deps, started };
}

test.each(BATCHES)("a batch counts as a scrape of the minute, at %s", async (path) => {
  const { post } = service(100);
  const made = await post("/v2/team/keys", { name: "key", limits: { scrape: 1 } }, { key: ADMIN_KEY });
  const { key } = (await made.json<{ data: { key: string } }>()).data;
  const [first, second] = [await post(path, { urls: URLS }, { key }), await post(path, { urls: URLS }, { key })];
  expect([first.status, second.status]).toEqual([200, 429]);
  expect(first.headers.get("X-RateLimit-Limit")).toBe("1");
});

describe("the credits of a batch", () => {
  test.each(BATCHES)("are needed for all of its pages before it starts, at %s", async (path) => {
    const { post, started } = service(2);
    const refused = await post(path, { urls: URLS });
    expect(refused.status).toBe(402);
    expect(await refused.json()).toMatchObject({
      success: false,
      error: "Insufficient credits to perform this request: it needs 3, and 2 remain this month.",
    });
    expect(started).toEqual([]);
    expect((await post(path, { urls: URLS.slice(1) })).status).toBe(200);
    expect(started).toHaveLength(1);
  });

  test("include those of its formats", async () => {
    const { post } = service(14);
    const formats = [{ type: "json", prompt: "The name" }];
    const refused = await post("/v2/batch/scrape", { urls: URLS, formats });
    expect(refused.status).toBe(402);
    expect(await refused.text()).toContain("it needs 15, and 14 remain");
  });

  test("are not asked for again by a repeat, which returns the first batch", async () => {
    const { post, deps, started } = service(3);
    const headers = { "x-idempotency-key": crypto.randomUUID() };
    const ask = () => post("/v2/batch/scrape", { urls: URLS }, { headers });
    const first = (await (await ask()).json()) as { id: string };
    // As the pages of the batch do.
    const keyId = started[0]?.keyId ?? "";
    await deps.keyLedger.admit(keyId, { mode: "scrape", limit: 1000, credits: 3, monthlyCredits: 3 });
    expect(await (await ask()).json()).toMatchObject({ success: true, id: first.id });
    expect(new Set(started.map(({ id }) => id))).toEqual(new Set([first.id]));
    expect((await post("/v2/batch/scrape", { urls: URLS })).status).toBe(402);
  });

  test("that are missing leave the idempotency key unused", async () => {
    const { post } = service(2);
    const headers = { "x-idempotency-key": crypto.randomUUID() };
    expect((await post("/v2/batch/scrape", { urls: URLS }, { headers })).status).toBe(402);
    expect((await post("/v2/batch/scrape", { urls: URLS }, { headers })).status).toBe(402);
    expect((await post("/v2/batch/scrape", { urls: URLS.slice(1) }, { headers })).status).toBe(200);
  });
});
