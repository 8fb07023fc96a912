import { z } from "@hono/zod-openapi";
import type { Context, MiddlewareHandler } from "hono";
import { parseWithinLimits } from "../../core/schema/list-limits.ts";
import { callCapabilities, estimateCallCredits } from "../../services/alexandria/call-capabilities.ts";
import { CallerFields } from "../../formats/scrape-options.ts";
import { admitWork } from "../account/rate-limit.ts";
import type { AppEnv } from "../context.ts";
import { schemaError } from "../error-response.ts";
import { ReceiptField } from "../route.ts";
import { warningField } from "../warning-field.ts";
import { nameWork, receiptOf } from "../work.ts";
import { callsCapabilities } from "./calls-capabilities.ts";

const MAX_CALLS = 10;
const DEFAULT_TIMEOUT_MS = 50_000;
const MAX_TIMEOUT_MS = 50_000;
const SHORTENED = `timeout: calls of capabilities end after ${MAX_TIMEOUT_MS} ms at the latest.`;
const ONE_VERSION = "alexandria.version has no effect: each capability has one version.";

const Call = z.strictObject({
  provider: z.string().trim().min(1).max(100).describe("Provider of the capability, such as `wikidata`."),
  capability: z.string().trim().min(1).max(200).describe("Name of the capability, such as `entities/search`."),
  version: z
    .string()
    .trim()
    .min(1)
    .max(128)
    .optional()
    .describe("Version of the capability. It has no effect; `warning` says so."),
  options: z
    .record(z.string(), z.unknown())
    .optional()
    .describe("Options of the capability, which `firecrawl/find-tools` lists."),
});

/** The body of calls of capabilities: no field of a scrape beside those that clients always send. */
export const AlexandriaBody = z
  .strictObject({
    alexandria: z
      .union([z.array(Call).min(1).max(MAX_CALLS), Call])
      .describe("Calls of capabilities instead of a page: one, or a list of up to 10."),
    timeout: z
      .int()
      .positive()
      .optional()
      .describe(
        "Timeout of the calls in milliseconds. Values above 50,000, the default, are lowered to that; `warning` says so.",
      ),
    ...CallerFields,
  })
  .openapi("AlexandriaRequest", {
    example: {
      alexandria: { provider: "wikidata", capability: "entities/search", options: { query: "harbour bell", limit: 3 } },
    },
  });

/** The response to calls of capabilities. */
export const AlexandriaResponse = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    scrape_id: z.string().describe("ID of the request."),
    data: z
      .object({
        alexandria: z
          .array(
            z.object({
              provider: z.string().describe("Provider of the call."),
              capability: z.string().describe("Capability of the call."),
              creditsCost: z.int().optional().describe("Credits of the call. Absent when it failed."),
              data: z
                .unknown()
                .optional()
                .describe("Data of the call: its records in `results`. Absent when it failed."),
              records: z.int().optional().describe("Number of records, where there are any."),
              error: z
                .object({
                  code: z.string().describe("Error code for programs."),
                  message: z.string().describe("Error message for people."),
                  status: z.int().describe("HTTP status that the error would have alone."),
                })
                .optional()
                .describe("Why the call failed. Absent when it did not."),
            }),
          )
          .describe("Results of the calls, in their order."),
        creditsCost: z.int().describe("Credits of all calls."),
      })
      .describe("Results and costs."),
    warning: z
      .string()
      .optional()
      .describe("What could not be done as requested. Absent when there is nothing to report."),
    receipt: ReceiptField,
  })
  .openapi("AlexandriaResponse", {
    example: {
      success: true,
      scrape_id: "019a9d0c-7c1e-7d42-9a55-3f0c7be1a2d4",
      data: {
        alexandria: [
          {
            provider: "wikidata",
            capability: "entities/search",
            creditsCost: 2,
            data: {
              results: [{ url: "https://www.wikidata.org/wiki/Q101401", title: "bell", description: "instrument" }],
            },
            records: 1,
          },
        ],
        creditsCost: 2,
      },
    },
  });

/** Answers a body with `alexandria` and without `url`: calls of capabilities instead of a page. Others pass. */
export const answerCapabilityCalls: MiddlewareHandler<AppEnv> = async (c, next) => {
  const body = await readCalls(c);
  if (body === undefined) return await next();
  const parsed = parseWithinLimits(AlexandriaBody, body);
  if (!parsed.success) throw schemaError(parsed.error.issues, body);
  return await respond(c, parsed.data);
};

/** Returns a body that calls capabilities; undefined for others, and for those that the route refuses. */
async function readCalls(c: Context<AppEnv>): Promise<unknown> {
  if (!(c.req.header("content-type") ?? "").includes("json")) return undefined;
  const body: unknown = await c.req.json().catch(() => undefined);
  return callsCapabilities(body) ? body : undefined;
}

async function respond(c: Context<AppEnv>, body: z.output<typeof AlexandriaBody>): Promise<Response> {
  const calls = [body.alexandria].flat();
  const target = calls.map(({ provider, capability }) => `${provider}/${capability}`).join(", ");
  // Capabilities search: a key needs that scope as well.
  await admitWork(c, { mode: "search", endpoint: "search", target, credits: estimateCallCredits(calls) });
  const timeoutMs = Math.min(body.timeout ?? DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS);
  const { id, results, creditsCost } = await callCapabilities(c.var.deps, c.var.caller, { calls, timeoutMs });
  const records = results.reduce((sum, result) => sum + ("records" in result ? (result.records ?? 0) : 0), 0);
  nameWork(c, { id, pages: records });
  const data = { alexandria: results, creditsCost };
  const warnings = [
    ...(calls.some(({ version }) => version !== undefined) ? [ONE_VERSION] : []),
    ...((body.timeout ?? 0) > MAX_TIMEOUT_MS ? [SHORTENED] : []),
  ];
  return c.json({ success: true as const, scrape_id: id, data, ...warningField(warnings), receipt: receiptOf(c) }, 200);
}
