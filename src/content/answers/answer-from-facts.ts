import type { FoundAnswer, SearchedPage } from "./found-answer.ts";
import { foldText } from "../../core/search/words.ts";
import type { FactRecord, StructuredData } from "../structured-data/facts.ts";
import { oneLine } from "../structured-data/facts.ts";
import { candidatesOf, type Candidate } from "../structured-data/schema/candidates.ts";
import { candidatesOfPage } from "../structured-data/schema/page-candidates.ts";
import { findValue, type FoundValue } from "../structured-data/schema/find-value.ts";
import type { Shape } from "../structured-data/schema/schema-shape.ts";
import { readCurrency } from "../structured-data/schema/values.ts";
import { labelOf } from "../structured-data/sources/labels.ts";
import { chooseSubject, subjectWords } from "../structured-data/subject.ts";
import type { AskedQuestion } from "./read-question.ts";
import { missingWords } from "./subject-words.ts";
import { findValues, holdsKind } from "./value-kinds.ts";

const MAX_RECORDS = 2_000;
const MAX_VALUE_CHARS = 400;

/** Finds the answer to a question in structured data, beside labels, and in records of the same kind. */
export function answerFromFacts(question: AskedQuestion, page: SearchedPage): FoundAnswer | undefined {
  const properties = question.properties.length > 0 ? question.properties : unknownProperty(question);
  const isAbout = isAboutPage(question, page);
  for (const property of properties) {
    const answer = ofRow(property, question, page) ?? (isAbout ? ofSubject(property, question, page) : undefined);
    if (answer !== undefined) return answer;
  }
  return ofLabel(question, page);
}

/** Without a known property, the subject of the question may be a label: `What is the warranty period?` */
function unknownProperty({ kind, subject, names }: AskedQuestion): string[] {
  const words = subject.filter((word) => !names.includes(word));
  if (kind === "yes-no" || words.length === 0 || words.length > 4) return [];
  return [words.join(" ")];
}

/**
 * Reports whether the page is about the thing that the question names: its title, heading, URL or the type of its
 * subject contains every word of the name. Without a known property the words of the subject are the property.
 */
function isAboutPage({ subject, names, properties }: AskedQuestion, { title, url, data }: SearchedPage): boolean {
  const types = data.records.flatMap((record) => record.types).join(" ");
  const head = [title, textOfFact(data.page, "name"), url.replaceAll(/[-_/.]/g, " "), types].join(" ");
  return missingWords(head, properties.length > 0 ? subject : names).length === 0;
}

function textOfFact({ facts }: FactRecord, label: string): string {
  const value = facts.find((fact) => fact.label === label)?.value;
  return value?.kind === "text" ? value.text : "";
}

function ofSubject(property: string, question: AskedQuestion, page: SearchedPage): FoundAnswer | undefined {
  const { data, budget } = page;
  const shape = shapeFor(property, question);
  const subject = chooseSubject(shape, data, budget);
  const records = [...subject, data.page];
  const candidates = candidatesOfPage(shape, data, subject);
  return valueIn(records, { property, question, page, shape, candidates });
}

interface Wanted {
  property: string;
  question: AskedQuestion;
  page: SearchedPage;
  shape: ObjectShape;
  /** Those of the records, unless given. */
  candidates?: readonly Candidate[];
}

type ObjectShape = Extract<Shape, { kind: "object" }>;
const NO_HINTS = { title: "", description: "", format: "", choices: [] };

function shapeFor(property: string, { kind }: AskedQuestion): ObjectShape {
  const inner: Shape = { kind: kind === "yes-no" ? "boolean" : "string", hints: NO_HINTS };
  return { kind: "object", properties: [{ name: property, shape: inner, isRequired: false }], hints: NO_HINTS };
}

function valueIn(
  records: readonly FactRecord[],
  { property, question, page, shape, candidates }: Wanted,
): FoundAnswer | undefined {
  const inner = shape.properties[0]?.shape;
  if (inner === undefined) return undefined;
  const { data, budget } = page;
  const scope = {
    candidates: candidates ?? records.flatMap((record) => candidatesOf(record)),
    subject: subjectWords(shape, records),
    locale: { language: data.language },
    baseUrl: data.baseUrl,
    budget,
  };
  const found = findValue({ label: labelOf(property), shape: inner }, scope);
  return found === undefined ? undefined : toAnswer(found, { question, records, data });
}

/** Returns the value as an answer, if it is of the asked kind. */
function toAnswer(
  { value, quote }: FoundValue,
  {
    question: { kind },
    records,
    data,
  }: { question: AskedQuestion; records: readonly FactRecord[]; data: StructuredData },
): FoundAnswer | undefined {
  if (typeof value === "boolean") return { kind, value: value ? "Yes" : "No", quote: oneLine(quote), source: "label" };
  const text = oneLine(String(value));
  if (text === "" || text.length > MAX_VALUE_CHARS) return undefined;
  if (kind === "price") return priceAnswer(text, { records, data });
  if (kind === "name" && (!/\p{L}{2}/u.test(text) || /^https?:/.test(text))) return undefined;
  if (kind !== "name" && kind !== "passage" && kind !== "place" && !holdsKind(kind, text)) return undefined;
  return { kind, value: text, quote: text, source: "label" };
}

/** Adds the currency that the page states beside a bare amount. */
function priceAnswer(
  text: string,
  { records, data }: { records: readonly FactRecord[]; data: StructuredData },
): FoundAnswer | undefined {
  if (holdsKind("price", text)) return { kind: "price", value: text, quote: text, source: "label" };
  if (!/\d/.test(text))
    return /^(?:free|kostenlos|gratis|gratuite?)\b/i.test(text)
      ? { kind: "price", value: text, quote: text, source: "label" }
      : undefined;
  const amount = findValues("number", text)[0]?.text;
  if (amount === undefined) return undefined;
  const currency = currencyOf(records, data);
  return {
    kind: "price",
    value: currency === undefined ? amount : `${amount} ${currency}`,
    quote: text,
    source: "label",
  };
}

function currencyOf(records: readonly FactRecord[], { page }: StructuredData): string | undefined {
  for (const { own, path, value } of [...records, page].flatMap((record) => candidatesOf(record))) {
    const isCurrency = own.concepts.includes("currency") || path.words.includes("currency");
    if (isCurrency && value.kind === "text") return readCurrency(value.text) ?? value.text;
  }
  return undefined;
}

/** Finds the only record about the question's subject among those of the same kind, such as a row of a price list or a card. */
function ofRow(property: string, question: AskedQuestion, page: SearchedPage): FoundAnswer | undefined {
  const { subject } = question;
  if (subject.length === 0) return undefined;
  const shape = shapeFor(property, question);
  const found = new Map<string, FoundAnswer>();
  let left = MAX_RECORDS;
  for (const record of [...page.data.groups.flatMap(({ records }) => records), ...page.data.records]) {
    if (left-- <= 0 || !page.budget.take()) break;
    const name = [textOfFact(record, "name"), textOfFact(record, "title"), textOfFact(record, "headline")].join(" ");
    if (missingWords(name, subject).length > 0) continue;
    const answer = valueIn([record], { property, question, page, shape });
    if (answer !== undefined) found.set(foldText(answer.value), answer);
  }
  return found.size === 1 ? [...found.values()][0] : undefined;
}

/** Words that price lists leave out. */
const COMMODITY = new Set(["ticket", "tickets", "admission", "entry", "fare"]);

/** Returns the words that a label must contain: those of the subject that the page's title and URL do not contain. */
function labelWords({ subject, kind }: AskedQuestion, head: string): string[] {
  const own = missingWords(head, subject);
  const specific = kind === "price" ? own.filter((word) => !COMMODITY.has(word)) : own;
  return specific.length > 0 ? specific : own.length > 0 ? own : subject;
}

/** Finds the only label that contains every word of the question's subject: `Adult ticket: $12`. */
function ofLabel(
  question: AskedQuestion,
  { data: { page }, title, url, budget }: SearchedPage,
): FoundAnswer | undefined {
  const { kind } = question;
  const subject = labelWords(question, `${title} ${url.replaceAll(/[-_/.]/g, " ")}`);
  if (subject.length === 0 || kind === "yes-no" || kind === "passage") return undefined;
  const found = new Map<string, FoundAnswer>();
  for (const { label, value, source } of page.facts) {
    if (!budget.take()) return undefined;
    if (value.kind !== "text" || value.text.length > MAX_VALUE_CHARS || source === "meta" || source === "text")
      continue;
    if (missingWords(label, subject).length > 0 || !holdsKind(kind, value.text)) continue;
    if (kind === "number" && holdsKind("price", value.text)) continue;
    found.set(foldText(value.text), { kind, value: value.text, quote: value.text, source: "label" });
  }
  return found.size === 1 ? [...found.values()][0] : undefined;
}
