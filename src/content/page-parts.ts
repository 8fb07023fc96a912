import type { AppError } from "../core/errors.ts";
import type { JsonSchema } from "../core/schema/json-schema.ts";
import type { DocumentContent } from "./documents/document-content.ts";

/** A part of a page that a caller can name before the page is read. */
export type PagePart =
  | {
      name: "facts" | "metadata" | "html" | "images" | "product" | "menuFacts" | "fingerprints";
    }
  | ({ name: "links" } & Bounded)
  | ({ name: "markdown"; removeBase64Images: boolean } & Bounded)
  | { name: "answer"; question: string }
  | { name: "attributeValues"; selector: string; attribute: string }
  | { name: "fill"; schema: JsonSchema };

/** Characters of a part that its reader takes. Default: all. */
export interface Bounded {
  maxChars?: number;
}

/** Links that a job follows: some 80,000 of ordinary length, beside which other parts fit into the answer of a reader. */
export const FOLLOWED_LINKS = { name: "links", maxChars: 8_000_000 } as const satisfies PagePart;

/** Text of a page whose markdown was not requested, for the search index, which stores a tenth of it at most. */
export const INDEXED_TEXT = {
  name: "markdown",
  removeBase64Images: true,
  maxChars: 1_000_000,
} as const satisfies PagePart;

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
  /** Error of the parts that were to be read and are too large together; the others are here. */
  refused?: AppError;
}

/** Returns the parts without repetitions, and without those of which the whole is among them. */
export function uniqueParts(parts: readonly PagePart[]): PagePart[] {
  const unique = new Map(parts.map((part) => [keyOf(part), part]));
  return [...unique.values()].filter((part) => !isBounded(part) || !unique.has(keyOf(wholeOf(part))));
}

function isBounded(part: PagePart): boolean {
  return "maxChars" in part && part.maxChars !== undefined;
}

/** Returns the part without its bound. */
export function wholeOf(part: PagePart): PagePart {
  if (part.name === "links") return { name: "links" };
  return part.name === "markdown" ? { name: "markdown", removeBase64Images: part.removeBase64Images } : part;
}

/** Returns the first links that have at most so many characters together. */
export function firstLinks(links: string[], { maxChars = Infinity }: Bounded): string[] {
  let chars = 0;
  const end = links.findIndex((link) => (chars += link.length) > maxChars);
  return end < 0 ? links : links.slice(0, end);
}

/** Returns what identifies a part. */
export function keyOf(part: PagePart): string {
  switch (part.name) {
    case "links":
      return `links ${part.maxChars ?? ""}`;
    case "markdown":
      return `markdown ${part.removeBase64Images} ${part.maxChars ?? ""}`;
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
