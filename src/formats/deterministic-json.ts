import { z } from "zod";
import { defineFormat } from "./format.ts";
import { JsonSchemaOption } from "./json-schema-option.ts";
import { deriveJson } from "./model/derive-json.ts";

/** Data of the page by rules alone: the same page gives the same data, whatever model is configured. */
export const deterministicJson = defineFormat({
  type: "deterministicJson",
  request: z.strictObject({
    type: z.literal("deterministicJson"),
    schema: JsonSchemaOption.optional(),
    prompt: z.string().max(10_000).optional(),
  }),
  needs: [],
  credits: 2,
  async derive(page, { schema, prompt }, context) {
    const wish = { schema, prompt, usesModel: false, format: "deterministicJson" };
    const { value, evidence } = await deriveJson(page, wish, context);
    return { json: value, evidence };
  },
});
