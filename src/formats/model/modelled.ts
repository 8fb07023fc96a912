import { z } from "zod";
import { isEmpty } from "../../content/structured-data/schema/merge-values.ts";
import type { PageView } from "../../content/page-view.ts";
import type { Evidence } from "../../core/scrape/evidence.ts";
import type { JsonSchema } from "../../core/schema/json-schema.ts";
import type { FormatContext } from "../format.ts";
import { evidenceOf } from "./derive-json.ts";
import { extractObject } from "./extract-object.ts";
import { pageTextOf } from "./page-text.ts";
import { withFallback } from "./with-fallback.ts";

/** An object that a model extracted, and the source of each value on the page. */
export interface Modelled<Answer> {
  value: Answer;
  /** Field names start with the format's name, such as `product.title`. Empty unless it was requested. */
  evidence: Evidence[];
}

/**
 * Extracts an object of a known shape from a page with a model.
 * @returns undefined without a model, or when it fails, finds nothing or returns another shape; the document's warning
 * gives the reason.
 */
export async function modelled<Answer>(
  page: PageView,
  context: FormatContext,
  { format, answer, withEvidence }: { format: string; answer: z.ZodType<Answer>; withEvidence: boolean },
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
        if (!withEvidence) return { value: read.data, evidence: [] };
        const evidence = await evidenceOf(page, { value: read.data, claims }, context);
        return {
          value: read.data,
          evidence: evidence.map((found) => ({ ...found, field: `${format}.${found.field}` })),
        };
      },
    },
  );
}
