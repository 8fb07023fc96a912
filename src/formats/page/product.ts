import { z } from "zod";
import { Product, Variant } from "../../core/scrape/product.ts";
import { evidenceField, EvidenceOption } from "../evidence-option.ts";
import { defineFormat } from "../format.ts";
import { modelled } from "../model/modelled.ts";

/** The model's schema: without the page's URL. */
const Asked = Product.omit({ url: true }).extend({ variants: z.array(Variant).optional() });

/** Returns the product on a shop's page: from structured data, else from a model if configured. */
export const product = defineFormat({
  type: "product",
  request: z.strictObject({
    type: z.literal("product").describe("Returns the product of a shop page in `product`."),
    evidence: EvidenceOption.describe(
      "Adds `evidence`: the URL, quote and place of each value that a language model extracted. For a product that was read by rules there is none, and `warning` says so. Default: false.",
    ),
  }),
  needs: [],
  credits: 0,
  reads: () => [{ name: "product" }],
  readsSource: ({ evidence = false }) => evidence,
  async derive(page, { evidence: isShown }, context) {
    const marked = page.product();
    if (marked !== undefined) {
      if (isShown === true) context.warn("product: it was read by rules, which give no evidence.");
      return { product: marked };
    }
    const read = await modelled(page, context, {
      format: "product",
      answer: Asked,
      withEvidence: isShown === true,
    });
    if (read === undefined) {
      context.warn("product: the page describes no product in its structured data.");
      return {};
    }
    const { variants = [], ...about } = read.value;
    return { product: { ...about, url: page.loaded.url, variants }, ...evidenceField(read.evidence, isShown) };
  },
});
