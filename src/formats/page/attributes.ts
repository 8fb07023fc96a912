import { z } from "zod";
import { defineFormat } from "../format.ts";

const AttributeSelector = z.strictObject({
  selector: z.string().min(1).describe("CSS selector of the elements to read."),
  attribute: z.string().min(1).describe("Name of the attribute to read; `data-` plus the name is read as well."),
});

/** Returns an attribute's values on every element that a selector matches; `data-<attribute>` counts as well. */
export const attributes = defineFormat({
  type: "attributes",
  request: z.strictObject({
    type: z.literal("attributes").describe("Returns the values of attributes of selected elements in `attributes`."),
    selectors: z.array(AttributeSelector).min(1).max(200).describe("Selectors and attributes to read, 1 to 200."),
  }),
  needs: [],
  credits: 0,
  reads: ({ selectors }) => selectors.map((wanted) => ({ name: "attributeValues", ...wanted })),
  derive: (page, { selectors }) => ({
    attributes: selectors.map((wanted) => ({ ...wanted, values: page.attributeValues(wanted) })),
  }),
});
