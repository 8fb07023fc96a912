import { describe, expect, test } from "vitest";
import { NO_COUNTS } from "../../../src/core/account/meter.ts";
import { Receipt, combineReceipts, sessionReceipt, toReceipt } from "../../../src/core/account/receipt.ts";
import { testApp } from "../../fakes/test-app.ts";
import { testDeps } from "../../fakes/test-deps.ts";

/** What was deferred is waited for, as the platform would. */
function appWithMemory() {
  const deferred: Promise<unknown>[] = [];
  const deps = testDeps({ defer: (work) => deferred.push(work) });
  return { ...testApp(deps), deps, settled: () => Promise.all(deferred) };
}

describe("work", () => {
  test("whose answer says nothing of its cost is given the receipt that is written down", async () => {
    const { post, ask, settled } = appWithMemory();
    const response = await post("/v2/crawl/params-preview", { url: "https://example.com", prompt: "only the blog" });
    expect(response.status).toBe(200);
    const { receipt, success } = (await response.json()) as { receipt: unknown; success: boolean };
    expect(success).toBe(true);
    await settled();
    const usage = (await (await ask("/v2/team/usage")).json()) as { totals: unknown };
    expect(Receipt.parse(usage.totals)).toEqual(Receipt.parse(receipt));
  });

  test("that fails has its receipt beside the error, and counts as an error", async () => {
    const { post, ask, settled } = appWithMemory();
    const response = await post("/v2/scrape", { url: "https://example.com" });
    expect(response.ok).toBe(false);
    const { receipt } = (await response.json()) as { receipt: Receipt };
    expect(receipt.credits).toBe(0);
    await settled();
    const usage = (await (await ask("/v2/team/usage?groupBy=endpoint")).json()) as { data: object[] };
    expect(usage.data).toMatchObject([{ endpoint: "scrape", requests: 1, errors: 1, credits: 0 }]);
  });

  test("that was refused before it began is no work", async () => {
    const { post, ask, settled } = appWithMemory();
    const response = await post("/v2/scrape", { url: "https://example.com", unknown: true });
    expect(await response.json()).not.toHaveProperty("receipt");
    await settled();
    expect(await (await ask("/v2/team/usage")).json()).toMatchObject({ data: [], totals: { requests: 0 } });
  });
});

describe("receipts", () => {
  test("are whole numbers, at list prices", () => {
    const receipt = toReceipt({ ...NO_COUNTS, browserMs: 3_600_000, d1RowsWritten: 1_000_000, credits: 2 }, 0);
    expect(receipt).toMatchObject({ credits: 2, nanoDollars: 90_000_000 + 1_000_000_000, dollars: 1.09 });
    expect(Receipt.parse(receipt)).toEqual(receipt);
  });

  test("add up and come apart again", () => {
    const left = toReceipt({ bytesFetched: 1_234, pages: 3, modelNanoDollars: 17, r2Writes: 2 });
    const right = sessionReceipt({ durationMs: 61_000, credits: 3 });
    expect(combineReceipts(combineReceipts(left, right), right, -1)).toEqual(left);
  });
});
