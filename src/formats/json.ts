import { z } from "zod";
import type { JsonSchema } from "../core/schema/json-schema.ts";
import { evidenceField, EvidenceOption } from "./evidence-option.ts";
import { defineFormat } from "./format.ts";
import { JsonSchemaOption } from "./json-schema-option.ts";
import { nullAsAbsent } from "./null-as-absent.ts";
import { assertNoPromptInjection } from "./model/check-prompt-injection.ts";
import { deriveJson, partsOfJson } from "./model/derive-json.ts";

/** The options of v2, and those that only v1 has. */
export interface JsonRequest {
  type: "json";
  schema?: JsonSchema | undefined;
  prompt?: string | undefined;
  checkPromptInjection?: boolean | undefined;
  evidence?: boolean | undefined;
  systemPrompt?: string | undefined;
  temperature?: number | undefined;
  /** Version 1 has two names for the format; the result has the requested one. */
  field?: "json" | "extract";
}

const Request: z.ZodType<JsonRequest, unknown> = z.strictObject({
  type: z.literal("json").describe("Returns structured data of the page in `json`. It costs 4 credits more."),
  schema: nullAsAbsent(JsonSchemaOption).describe("JSON Schema of the data to extract."),
  prompt: nullAsAbsent(z.string().max(10_000)).describe(
    "Description of the data to extract, at most 10,000 characters.",
  ),
  checkPromptInjection: z
    .boolean()
    .optional()
    .describe("Fails with SCRAPE_PROMPT_INJECTION_DETECTED if the page addresses language models. Default: false."),
  evidence: EvidenceOption,
});

/** Extracts data by a JSON Schema or a prompt; if requested, with the source of each value. */
export const json = defineFormat({
  type: "json",
  request: Request,
  needs: [],
  credits: 4,
  reads: (request) => partsOfJson(request),
  readsSource: ({ checkPromptInjection = false, evidence = false }) => checkPromptInjection || evidence,
  async derive(page, { field = "json", checkPromptInjection = false, evidence: isShown, ...requested }, context) {
    if (checkPromptInjection) await assertNoPromptInjection(page, context);
    const wanted = { ...requested, usesModel: true, withEvidence: isShown === true, format: field };
    const { value, evidence } = await deriveJson(page, wanted, context);
    return { [field]: value, ...evidenceField(evidence, isShown) };
  },
});
