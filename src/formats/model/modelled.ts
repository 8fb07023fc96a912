import { z } from "zod";
import { isEmpty } from "../../content/structured-data/schema/merge-values.ts";
import type { PageView } from "../../content/page-view.ts";
import { checkProvenance } from "../../content/structured-data/evidence/provenance.ts";
import type { Evidence } from "../../core/scrape/evidence.ts";
import type { JsonSchema } from "../../core/schema/json-schema.ts";
import type { FormatContext } from "../format.ts";
import { quotedPage } from "./derive-json.ts";
import { extractObject } from "./extract-object.ts";
import { pageTextOf } from "./page-text.ts";
import { withFallback } from "./with-fallback.ts";

/** An object as a model read it, and where each of its values stands on the page. */
export interface Modelled<Answer> {
  value: Answer;
  /** Fields begin with the format's name, such as `product.title`. */
  evidence: Evidence[];
}

/**
 * An object of a known shape as a model reads it out of a page.
 * @returns undefined without a model, or when it fails, finds nothing or answers in another shape; the document's warning
 * tells which failure it was.
 */
export async function modelled<Answer>(
  page: PageView,
  context: FormatContext,
  { format, answer }: { format: string; answer: z.ZodType<Answer> },
): Promise<Modelled<Answer> | undefined> {
  if (context.llm === undefined) return undefined;
  return await withFallback<Modelled<Answer> | undefined>(
    context,
    { format, byRules: "the page was read by rules alone" },
    {
      rules: () => undefined,
      async model(llm) {
        const { value, claims, isCut } = await extractObject(llm, pageTextOf(page, context), {
          schema: z.toJSONSchema(answer) as JsonSchema,
          candidates: undefined,
          deadlineMs: context.deadlineMs,
        });
        if (isCut) context.warn(`${format}: the page is longer than what the language model was given of it.`);
        if (isEmpty(value)) return undefined;
        const read = answer.safeParse(value);
        if (!read.success) {
          context.warn(`${format}: what the language model answered lacks what a ${format} must have.`);
          return undefined;
        }
        const evidence = checkProvenance(read.data, claims, [await quotedPage(page, context)]);
        return {
          value: read.data,
          evidence: evidence.map((found) => ({ ...found, field: `${format}.${found.field}` })),
        };
      },
    },
  );
}
