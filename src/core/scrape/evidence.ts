import { z } from "zod";

/** Source of a value in an answer. Checked by code: a claim of the model without support is `unverified`. */
export const Evidence = z.object({
  /** Path of the value in the answer, such as `offers[0].price`. */
  field: z.string().describe("Path of the value in the data."),
  /** Only of values in the free text of a model: several values of a text have the same field. */
  value: z.string().optional().describe("The value, when the field is a text of a model that states it."),
  url: z.string().describe("URL of the page that contains the value."),
  /** Verbatim text of the page; absent when nothing on the page supports the value. */
  quote: z.string().optional().describe("Text of the page that supports the value. Absent when there is none."),
  /** Position of the quote in UTF-16 units: in the document's markdown, or in the page's source if it is not shown. */
  place: z
    .object({
      in: z
        .enum(["markdown", "source"])
        .describe("Text in which the position counts: the Markdown or the source of the page."),
      start: z.int().describe("Offset of the first character in UTF-16 units."),
      end: z.int().describe("Offset after the last character in UTF-16 units."),
    })
    .optional()
    .describe("Position of the quote."),
  /** SHA-256 of the text that the position refers to. */
  textHash: z.string().optional().describe("SHA-256 of the text in which the position counts."),
  /** Source of the value: the kind of mark-up, or `model`. */
  from: z.string().describe("What the value was read from: a kind of markup, or `model`."),
  /** True when the quote is not on the page or does not support the field's value. */
  unverified: z
    .literal(true)
    .optional()
    .describe("Present when the quote is not in the page or does not support the value."),
});
export type Evidence = z.infer<typeof Evidence>;

/** Formats a path: `["offers", 0, "price"]` as `offers[0].price`. */
export function fieldName(path: readonly (string | number)[]): string {
  return path.map((step, index) => (typeof step === "number" ? `[${step}]` : index === 0 ? step : `.${step}`)).join("");
}
