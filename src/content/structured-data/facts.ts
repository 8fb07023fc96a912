/** The source of a fact. */
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

/** A text of the page, with the data behind it. */
export interface FactText {
  kind: "text";
  /** As displayed, in one line. */
  text: string;
  /** Machine-readable form: `datetime` of a time, `content` of a tag, `value` of a datum. */
  machine?: string;
  /** Absolute address behind the text, or of the picture. */
  href?: string;
}

export interface FactRecord {
  kind: "record";
  source: FactSource;
  /** Types in the page's mark-up, without their vocabulary: `Product`. */
  types: string[];
  facts: Fact[];
}

export interface FactList {
  kind: "list";
  items: (FactText | FactRecord)[];
}

export type FactValue = FactText | FactRecord | FactList;

/** A statement of the page: a label, and the value beside it. */
export interface Fact {
  label: string;
  value: FactValue;
  source: FactSource;
}

/** Like things in a row: the rows of a table, the cards of a listing. */
export interface FactGroup {
  /** The texts written above the group, or the names of its elements. */
  labels: string[];
  records: FactRecord[];
  /** True in the foot of a page or its navigation, which lead to other pages of the site. */
  isSurrounding?: boolean;
}

/** Everything that a page states in a form that rules can read. */
export interface StructuredData {
  /** The things that the page describes in JSON-LD, microdata and RDFa. */
  records: FactRecord[];
  /** Facts about the page's one subject, from labels, headings and tags. */
  page: FactRecord;
  groups: FactGroup[];
  /** Language of the page, such as `de`; empty when unknown. */
  language: string;
  baseUrl: string;
}

/** Trust in each source. */
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

interface BehindText {
  machine?: string | undefined;
  href?: string | undefined;
}

export function textFact(text: string, more: BehindText = {}): FactText {
  return lineFact(oneLine(text), more);
}

/** Like `textFact`, for a text that is one line already. */
export function lineFact(text: string, more: BehindText): FactText {
  return {
    kind: "text",
    text,
    ...(more.machine === undefined || more.machine === "" ? {} : { machine: more.machine.trim() }),
    ...(more.href === undefined ? {} : { href: more.href }),
  };
}

export function oneLine(text: string): string {
  return withSingleSpaces(text).trim();
}

/** Returns a text without soft hyphens, and with one space for white space of any length. */
export function withSingleSpaces(text: string): string {
  return text.replace(/\u00ad/g, "").replace(/[\s\u00a0]+/g, " ");
}
