import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { Endpoint } from "../../core/account/api-key.ts";
import { ComparedEstimate, Estimate, ESTIMATE_EXAMPLE } from "../../core/account/estimate.ts";
import type { Receipt } from "../../core/account/receipt.ts";
import { outputsOf } from "../../formats/outputs.ts";
import type { ScrapeOptions } from "../../formats/scrape-options.ts";
import { openAccount } from "../../services/account/account.ts";
import { fingerprintOf, keepEstimate } from "../../services/estimate/kept-estimates.ts";
import { MAP_CREDITS } from "../../services/map/map-site.ts";
import { admitWork } from "../account/rate-limit.ts";
import type { AppEnv } from "../context.ts";
import { ReceiptField } from "../route.ts";
import { receiptOf, workTarget } from "../work.ts";

/** The field of a request that asks for its estimate. */
export const EstimateField = z
  .boolean()
  .optional()
  .describe(
    "Returns an estimate of pages, credits, dollars and browser time instead of starting. It costs 1 credit when pages are sampled. Default: false.",
  );

export const EstimateResponse = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    estimate: Estimate.describe("What the request will probably return and cost."),
    receipt: ReceiptField,
  })
  .openapi("EstimateResponse", { example: { success: true, estimate: ESTIMATE_EXAMPLE } });

/** The field of a job's status: the estimate that it was started after, beside what came of it. */
export const ComparedField = ComparedEstimate.optional().describe(
  "Estimate of the same request within the hour before the start, beside the outcome. Absent without one.",
);

interface EstimateCall {
  endpoint: Endpoint;
  /** The valid request. */
  body: object;
  target: string | undefined;
  /** Options of the pages, whose formats the key must be allowed to use. */
  options: readonly ScrapeOptions[];
  zeroDataRetention?: boolean;
  /** True when no page is sampled, so that nothing is charged. */
  isFree?: boolean;
  work: () => Promise<Estimate>;
}

/** Answers a request with its estimate: nothing is started, and one without any page costs nothing. */
export async function respondWithEstimate(
  c: Context<AppEnv>,
  { endpoint, body, target, options, zeroDataRetention = false, isFree = false, work }: EstimateCall,
): Promise<{ success: true; estimate: Estimate; receipt: Receipt }> {
  const { deps, caller } = c.var;
  const credits = isFree ? 0 : MAP_CREDITS;
  const formats = options.flatMap(outputsOf);
  await admitWork(c, { mode: "map", endpoint, target: workTarget(target, zeroDataRetention), formats, credits });
  const account = openAccount(deps, caller, credits);
  try {
    const estimate = await work();
    if (estimate.pages.expected === 0) await account.settle(0);
    if (!zeroDataRetention) {
      await keepEstimate(deps, caller, { fingerprint: await fingerprintOf(endpoint, body), estimate });
    }
    return { success: true, estimate, receipt: receiptOf(c) };
  } catch (error) {
    deps.defer(account.settle(0));
    throw error;
  }
}
