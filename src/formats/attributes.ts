import { z } from "zod";
import { defineFormat } from "./format.ts";

const AttributeSelector = z.strictObject({ selector: z.string().min(1), attribute: z.string().min(1) });

/** Values of an attribute on every element that a selector matches; `data-<attribute>` counts as well. */
export const attributes = defineFormat({
  type: "attributes",
  request: z.strictObject({ type: z.literal("attributes"), selectors: z.array(AttributeSelector).min(1).max(200) }),
  needs: [],
  credits: 0,
  derive: (page, { selectors }) => ({
    attributes: selectors.map((wanted) => ({ ...wanted, values: page.attributeValues(wanted) })),
  }),
});
