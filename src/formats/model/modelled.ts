import type { z } from "zod";
import type { JsonSchema } from "../../core/json-schema.ts";
import type { PageView } from "../../content/page-view.ts";
import type { FormatContext } from "../format.ts";
import { extractObject } from "./extract-object.ts";
import { pageTextOf } from "./page-text.ts";

/**
 * An object of a known shape as a model reads it out of a page.
 * @returns undefined without a model, or when it fails, which the caller is told, or answers in another shape.
 */
export async function modelled<Answer>(
  page: PageView,
  context: FormatContext,
  { format, schema, answer }: { format: string; schema: JsonSchema; answer: z.ZodType<Answer> },
): Promise<Answer | undefined> {
  if (context.llm === undefined) return undefined;
  try {
    const { value } = await extractObject(context.llm, pageTextOf(page, context), {
      schema,
      candidates: undefined,
      deadlineMs: context.deadlineMs,
    });
    const read = answer.safeParse(value).data;
    if (read !== undefined) context.warn(`${format}: read by the language model, and not checked against the page.`);
    return read;
  } catch {
    context.warn(`${format}: the language model could not be asked.`);
    return undefined;
  }
}
