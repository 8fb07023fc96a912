/** Where a fact was found. The order is that of trust. */
export type FactSource =
  | "json-ld"
  | "microdata"
  | "rdfa"
  | "definitions"
  | "table"
  | "labels"
  | "heading"
  | "markup"
  | "meta"
  | "card"
  | "text";

/** A text of the page, with what stands behind it. */
export interface FactText {
  kind: "text";
  /** As a reader sees it, in one line. */
  text: string;
  /** For machines: `datetime` of a time, `content` of a tag, `value` of a datum. */
  machine?: string;
  /** Absolute address behind the text, or of the picture. */
  href?: string;
}

export interface FactRecord {
  kind: "record";
  source: FactSource;
  /** Types that the page gives it, without their vocabulary: `Product`. */
  types: string[];
  facts: Fact[];
}

export interface FactList {
  kind: "list";
  items: (FactText | FactRecord)[];
}

export type FactValue = FactText | FactRecord | FactList;

/** Something that the page says: a label, and what stands beside it. */
export interface Fact {
  label: string;
  value: FactValue;
  source: FactSource;
}

/** Like things in a row: the rows of a table, the cards of a listing. */
export interface FactGroup {
  /** What is written above it, or what its elements are called. */
  labels: string[];
  records: FactRecord[];
}

/** Everything that a page says in a form that can be read by rules. */
export interface StructuredData {
  /** JSON-LD, microdata and RDFa: the things that the page describes. */
  records: FactRecord[];
  /** What the page says of its one subject, by labels, headings and tags. */
  page: FactRecord;
  groups: FactGroup[];
  /** Language of the page, such as `de`; empty when unknown. */
  language: string;
  baseUrl: string;
}

/** How much a source is believed. */
export const TRUST: Record<FactSource, number> = {
  "json-ld": 0.97,
  microdata: 0.97,
  rdfa: 0.96,
  definitions: 0.96,
  table: 0.95,
  card: 0.95,
  labels: 0.93,
  heading: 0.9,
  markup: 0.82,
  meta: 0.72,
  text: 0.7,
};

export function textFact(
  text: string,
  more: { machine?: string | undefined; href?: string | undefined } = {},
): FactText {
  return {
    kind: "text",
    text: oneLine(text),
    ...(more.machine === undefined || more.machine === "" ? {} : { machine: more.machine.trim() }),
    ...(more.href === undefined ? {} : { href: more.href }),
  };
}

export function oneLine(text: string): string {
  return text.replace(/[\s\u00a0]+/g, " ").trim();
}
