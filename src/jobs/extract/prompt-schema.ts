import { schemaFault, type JsonSchema } from "../../core/schema/json-schema.ts";
import { UNTRUSTED_RULE } from "../../core/text/untrusted-text.ts";
import type { StepTools } from "../step-kind.ts";

const MAKER = {
  type: "object",
  properties: { schema: { type: "object", description: "A JSON Schema whose type is object, with named properties" } },
  required: ["schema"],
};

/**
 * Asks a model for a schema that fits the prompt, so that all pages return the same fields. Returns undefined without a
 * model, or when its schema is not usable: each page is then read by the prompt alone.
 */
export async function promptSchema(
  { prompt }: { prompt?: string | undefined },
  tools: StepTools,
): Promise<JsonSchema | undefined> {
  if (tools.llm === undefined || prompt === undefined || prompt.trim() === "") return undefined;
  const answer = await tools.generateObject("schema", {
    size: "small",
    system: `You write JSON Schemas for data that is to be read out of web pages: few properties, short names, plain types. ${UNTRUSTED_RULE}`,
    messages: [{ role: "user", text: `Write the schema for this wish:\n${prompt}` }],
    schema: MAKER,
  });
  if (answer.kind === "failed") return undefined;
  const { schema } = answer.value as { schema: JsonSchema };
  const isUsable =
    Object.keys((schema["properties"] as object | undefined) ?? {}).length > 0 && schemaFault(schema) === undefined;
  return isUsable ? { ...schema, type: "object" } : undefined;
}
