import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { v7 as uuidv7 } from "uuid";
import { searchCredits } from "../../core/account/pricing.ts";
import type { ErrorCode } from "../../core/errors.ts";
import { CallerFields } from "../../formats/scrape-options.ts";
import { admitWork } from "../account/rate-limit.ts";
import type { AppEnv } from "../context.ts";
import { COMMON_FAILURES, ReceiptField } from "../route.ts";
import { nameWork } from "../work.ts";

const MAX_QUERY_CHARS = 2_000;
const MAX_LIST = 20;
const MAX_ITEM_CHARS = 200;

/** Failures of a search in an index, in addition to those of every route. */
export const INDEX_FAILURES = ["BAD_REQUEST", "SEARCH_FAILED", ...COMMON_FAILURES] as const satisfies ErrorCode[];

export const QueryField = z.string().trim().min(1, "query must not be empty").max(MAX_QUERY_CHARS);

/** A number of results in a query string. */
export function countParam(max: number, byDefault: number, what: string) {
  return z.coerce
    .number("k is a number")
    .int("k is a whole number")
    .min(1)
    .max(max)
    .default(byDefault)
    .openapi({
      type: "integer",
      description: `Maximum number of ${what}, 1 to ${max}. Default: ${byDefault}.`,
      example: byDefault,
    });
}

const ListItem = z.string().trim().min(1).max(MAX_ITEM_CHARS);

/** A parameter that may be repeated in a query string, with the schema of one value. */
export function listParamOf<Item extends z.ZodType<string>>(item: Item, description: string, max = MAX_LIST) {
  return z
    .union([item, z.array(item).max(max)])
    .optional()
    .transform((value): z.output<Item>[] => (value === undefined ? [] : ([value].flat() as z.output<Item>[])))
    .openapi({ type: "array", items: { type: "string" }, description: `${description} It may be repeated.` });
}

/** A parameter with any text that may be repeated in a query string. */
export function listParam(description: string, max = MAX_LIST) {
  return listParamOf(ListItem, description, max);
}

/** Fields that clients add to every request. */
export const CallerParams = CallerFields;

/** Fields that the responses of all indexes share. */
export const AnswerFields = {
  success: z.literal(true).describe("Always true in a successful response."),
};
export const AccountFields = {
  warning: z
    .string()
    .optional()
    .describe("Sources that failed, and what could not be done as requested. Absent when there is nothing to report."),
  creditsUsed: z.number().describe("Credits charged for the request."),
  receipt: ReceiptField,
};

/** Admits a search in an index, with the credits of a full list. */
export async function admitIndexSearch(c: Context<AppEnv>, target: string, k: number): Promise<void> {
  await admitWork(c, { mode: "search", endpoint: "search", target, credits: searchCredits(k) });
}

/** Records the results of a search in an index. */
export function nameIndexSearch(c: Context<AppEnv>, results: number): void {
  nameWork(c, { id: uuidv7(), pages: results });
}
