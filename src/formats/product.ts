import { z } from "zod";
import { readProduct } from "../content/products.ts";
import type { JsonSchema } from "../core/json-schema.ts";
import { Product } from "../core/product.ts";
import { defineFormat } from "./format.ts";
import { modelled } from "./model/modelled.ts";

const SCHEMA = z.toJSONSchema(Product) as JsonSchema;

/** What a shop's page offers: from its structured data, else by a model where there is one. */
export const product = defineFormat({
  type: "product",
  request: z.strictObject({ type: z.literal("product") }),
  needs: [],
  credits: 0,
  async derive(page, _request, context) {
    const found =
      readProduct(page.structured()) ??
      (await modelled(page, context, { format: "product", schema: SCHEMA, answer: Product }));
    if (found !== undefined) return { product: found };
    context.warn("product: the page describes no product in its structured data.");
    return {};
  },
});
