import type { JsonSchema } from "../core/json-schema.ts";
import type { HtmlView } from "./read-html.ts";
import { fillSchema, type Filled } from "./structured-data/fill-schema.ts";
import { readStructuredData } from "./structured-data/read-structured-data.ts";
import { shapeOf } from "./structured-data/schema-shape.ts";

export type { Filled, Finding } from "./structured-data/fill-schema.ts";

/**
 * Fills a JSON Schema from what a page says in JSON-LD, microdata, RDFa, tags of its head, tables, definition lists,
 * labelled text and rows of like elements. What the page does not say surely is left out; nothing is made up.
 */
export function extractBySchema(view: HtmlView, schema: JsonSchema): Filled {
  return fillSchema(shapeOf(schema), readStructuredData(view));
}
