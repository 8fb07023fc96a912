import { z } from "zod";

/** Where a value of an answer comes from. Checked by code: what a model only claims is `unverified`. */
export const Evidence = z.object({
  /** The value's place in the answer, such as `offers[0].price`. */
  field: z.string(),
  url: z.string(),
  /** Verbatim text of the page; absent when nothing on the page bears the value out. */
  quote: z.string().optional(),
  /** Where the quote stands, in UTF-16 units: in the document's markdown, or in the page's source when it is not shown. */
  place: z.object({ in: z.enum(["markdown", "source"]), start: z.int(), end: z.int() }).optional(),
  /** SHA-256 of the text that the place counts in. */
  textHash: z.string().optional(),
  /** What read it: the kind of mark-up, or `model`. */
  from: z.string(),
  /** True when the quote is not on the page, or does not say what the field holds. */
  unverified: z.literal(true).optional(),
});
export type Evidence = z.infer<typeof Evidence>;

/** `["offers", 0, "price"]` as `offers[0].price`. */
export function fieldName(path: readonly (string | number)[]): string {
  return path.map((step, index) => (typeof step === "number" ? `[${step}]` : index === 0 ? step : `.${step}`)).join("");
}
