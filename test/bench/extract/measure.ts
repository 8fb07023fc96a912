import { openHtml } from "../../../src/content/read-html.ts";
import { fillSchema } from "../../../src/content/structured-data/schema/fill-schema.ts";
import { readStructuredData } from "../../../src/content/structured-data/read-structured-data.ts";
import { shapeOf } from "../../../src/content/structured-data/schema/schema-shape.ts";
import { readFactPages } from "./fact-pages.ts";
import { scoreFields, type FieldScore } from "./score-fields.ts";

export interface PageScore extends FieldScore {
  page: string;
}

/** Fills the schema of each page with known facts by rules, and compares. */
export function measureExtraction(): PageScore[] {
  return readFactPages().map(({ page, html, url, schema, facts }) => {
    const { value = {} } = fillSchema(shapeOf(schema), readStructuredData(openHtml(html, url)));
    return { page, ...scoreFields(value, facts) };
  });
}

export function totalOf(scores: readonly FieldScore[]): {
  precision: number;
  recall: number;
  given: number;
  expected: number;
} {
  const add = (name: "given" | "expected" | "right"): number => scores.reduce((sum, score) => sum + score[name], 0);
  const [given, expected, right] = [add("given"), add("expected"), add("right")];
  return { precision: right / Math.max(1, given), recall: right / Math.max(1, expected), given, expected };
}
