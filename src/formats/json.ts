import { z } from "zod";
import type { JsonSchema } from "../core/json-schema.ts";
import { defineFormat } from "./format.ts";
import { JsonSchemaOption } from "./json-schema-option.ts";
import { deriveJson } from "./model/derive-json.ts";

/** What v2 takes, and what v1 says beside it. */
export interface JsonRequest {
  type: "json";
  schema?: JsonSchema | undefined;
  prompt?: string | undefined;
  checkPromptInjection?: boolean | undefined;
  systemPrompt?: string | undefined;
  temperature?: number | undefined;
  /** Version 1 has two names for the same thing, and answers under the one that was asked for. */
  field?: "json" | "extract";
}

const Request: z.ZodType<JsonRequest, unknown> = z.strictObject({
  type: z.literal("json"),
  schema: JsonSchemaOption.optional(),
  prompt: z.string().max(10_000).optional(),
  checkPromptInjection: z.boolean().optional(),
});

/** Data of the page by a JSON Schema or a wish in words, with where each value comes from. */
export const json = defineFormat({
  type: "json",
  request: Request,
  needs: [],
  credits: 4,
  async derive(page, { field = "json", ...wish }, context) {
    const { value, evidence } = await deriveJson(page, { ...wish, usesModel: true, format: field }, context);
    return { [field]: value, evidence };
  },
});
