import { z } from "@hono/zod-openapi";
import { Receipt, toReceipt } from "../../core/account/receipt.ts";
import { latencyQuantile, type UsageTotals } from "../../core/account/usage.ts";

export const SUMS_EXAMPLE = {
  requests: 12,
  errors: 1,
  pages: 11,
  ...toReceipt({
    credits: 11,
    bytesFetched: 1_870_000,
    d1RowsRead: 12,
    d1RowsWritten: 36,
    r2Writes: 11,
    pages: 11,
  }),
  latencyMs: { p50: 320, p95: 1450 },
};

/** Sums over many requests and jobs, in one flat object except for operations and durations. */
export const UsageSums = z
  .object({
    requests: z.int().describe("Number of requests."),
    errors: z.int().openapi({ description: "Number of requests that failed and of jobs that could not start." }),
    pages: z.int().describe("Number of pages read."),
    ...Receipt.shape,
    latencyMs: z
      .object({
        p50: z.int().describe("Median latency in milliseconds."),
        p95: z.int().describe("95th percentile of the latency in milliseconds."),
      })
      .nullable()
      .openapi({
        description: "Latency of requests, accurate to 19 %, or null without requests. For jobs the start counts.",
      }),
  })
  .openapi("UsageSums", { description: "Sums over requests.", example: SUMS_EXAMPLE });

export function toUsageSums(totals: UsageTotals): z.infer<typeof UsageSums> {
  const p50 = latencyQuantile(totals, 0.5);
  const p95 = latencyQuantile(totals, 0.95);
  return {
    requests: totals.requests,
    errors: totals.errors,
    pages: totals.pages,
    ...totals.receipt,
    latencyMs: p50 === undefined || p95 === undefined ? null : { p50, p95 },
  };
}
