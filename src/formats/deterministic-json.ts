import { z } from "zod";
import { evidenceField, EvidenceOption } from "./evidence-option.ts";
import { defineFormat } from "./format.ts";
import { JsonSchemaOption } from "./json-schema-option.ts";
import { nullAsAbsent } from "./null-as-absent.ts";
import { deriveJson, partsOfJson } from "./model/derive-json.ts";

/** Extracts data by rules alone: the same page gives the same data, whatever model is configured. */
export const deterministicJson = defineFormat({
  type: "deterministicJson",
  request: z.strictObject({
    type: z
      .literal("deterministicJson")
      .describe("Returns structured data in `json`, extracted by rules without a language model."),
    schema: nullAsAbsent(JsonSchemaOption).describe("JSON Schema of the data to extract."),
    prompt: nullAsAbsent(z.string().max(10_000)).describe(
      "Description of the data to extract, at most 10,000 characters.",
    ),
    evidence: EvidenceOption,
  }),
  needs: [],
  credits: 2,
  reads: (request) => partsOfJson(request),
  readsSource: ({ evidence = false }) => evidence,
  async derive(page, { schema, prompt, evidence: isShown }, context) {
    const requested = { schema, prompt, usesModel: false, withEvidence: isShown === true, format: "deterministicJson" };
    const { value, evidence } = await deriveJson(page, requested, context);
    return { json: value, ...evidenceField(evidence, isShown) };
  },
});
