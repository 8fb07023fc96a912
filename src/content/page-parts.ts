import type { JsonSchema } from "../core/schema/json-schema.ts";
import type { DocumentContent } from "./documents/document-content.ts";

/** A part of a page that a caller can name before the page is read. */
export type PagePart =
  | {
      name: "facts" | "metadata" | "html" | "links" | "images" | "product" | "menuFacts" | "fingerprints";
    }
  | { name: "markdown"; removeBase64Images: boolean }
  | { name: "answer"; question: string }
  | { name: "attributeValues"; selector: string; attribute: string }
  | { name: "fill"; schema: JsonSchema };

/** Parts of a page that were read in another isolate. */
export interface ReadApart {
  /** Undefined for HTML. */
  document: DocumentContent | undefined;
  /** True when the page was read in one pass, without a tree. */
  isStreamed: boolean;
  warnings: readonly string[];
  parts: readonly PagePart[];
  /** The value of each part; null stands for undefined. */
  values: readonly unknown[];
}

/** Returns the parts without repetitions. */
export function uniqueParts(parts: readonly PagePart[]): PagePart[] {
  return [...new Map(parts.map((part) => [keyOf(part), part])).values()];
}

/** Returns what identifies a part. */
export function keyOf(part: PagePart): string {
  switch (part.name) {
    case "markdown":
      return `markdown ${part.removeBase64Images}`;
    case "answer":
      return `answer ${part.question}`;
    case "attributeValues":
      return `attributeValues ${JSON.stringify([part.selector, part.attribute])}`;
    case "fill":
      return `fill ${JSON.stringify(part.schema)}`;
    default:
      return part.name;
  }
}
