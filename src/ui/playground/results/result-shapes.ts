import { toDateTime } from "../../parts/format.ts";
import { isValues } from "../request/body.ts";
import type { Values } from "../request/body.ts";
import { toUrl } from "../response/documents.ts";
import type { ResponseDocument } from "../response/documents.ts";

/** Where a value of a result comes from (`Evidence` in the OpenAPI document). */
export interface Evidence {
  field: string;
  value?: string;
  url: string;
  quote?: string;
  place?: { in: "markdown" | "source"; start: number; end: number };
  from: string;
  unverified?: true;
}

/** Structured data with its evidence. */
export interface DataResult {
  value: unknown;
  evidence: Evidence[];
  /** URLs by field, of an extract with `showSources`. */
  sources: Values;
}

export interface Source {
  url: string;
  title?: string | undefined;
  description?: string | undefined;
}

/** Something that a research did: a search, a page that was read. */
export interface Activity {
  type: string;
  status: string;
  message: string;
  timestamp?: string;
}

/** A text that answers a question, with its sources. */
export interface AnswerResult {
  text: string;
  sources: Source[];
  activities: Activity[];
  evidence: Evidence[];
  /** Questions to go on with. */
  suggestions: string[];
}

/** Formats of a document whose value is structured data. */
const DATA_FORMATS = ["json", "extract", "product", "menu", "attributes", "changeTracking", "branding", "chunks"];

/** Returns the structured data of a document, or of a job that returns data; undefined if there is none. */
export function dataIn(body: unknown, document: ResponseDocument | undefined): DataResult | undefined {
  if (document !== undefined) return dataOfDocument(document.fields);
  if (!isValues(body)) return undefined;
  const { data, partial, sources } = body;
  const value = data ?? partial;
  const isTable = Array.isArray(value) && value.length > 0 && value.every(isValues);
  if (!isTable && (!isValues(value) || isAnswer(value) || isSearch(value))) return undefined;
  if (!isJobWithData(body)) return undefined;
  return { value, evidence: evidenceIn(body), sources: isValues(sources) ? sources : {} };
}

/** Extract and agent report their status, and monitors and lists do not. */
function isJobWithData(body: Values): boolean {
  return typeof body["status"] === "string" && ("evidence" in body || "sources" in body || "creditsUsed" in body);
}

function dataOfDocument(fields: Values): DataResult | undefined {
  const present = DATA_FORMATS.filter((name) => typeof fields[name] === "object" && fields[name] !== null);
  const [first] = present;
  if (first === undefined) return undefined;
  const values = Object.fromEntries(present.map((name) => [name, fields[name]]));
  return { value: present.length === 1 ? fields[first] : values, evidence: evidenceIn(fields), sources: {} };
}

/** Returns the answer of a document, an agent, a deep research or an llms.txt; undefined if there is none. */
export function answerIn(body: unknown, document: ResponseDocument | undefined): AnswerResult | undefined {
  if (document !== undefined) return answerOfDocument(document.fields);
  if (!isValues(body)) return undefined;
  const data = isValues(body["data"]) ? body["data"] : isValues(body["partial"]) ? body["partial"] : {};
  const texts = [body["message"], data["finalAnalysis"], data["result"], data["llmsfulltxt"], data["llmstxt"]];
  const text = texts.find((one): one is string => typeof one === "string" && one !== "");
  if (text === undefined || body["success"] === false) return undefined;
  return {
    text,
    sources: listOf(data["sources"] ?? body["sources"]).flatMap(toSource),
    activities: listOf(data["activities"] ?? body["activities"]).filter(isValues) as unknown as Activity[],
    evidence: evidenceIn(body),
    suggestions: listOf(body["suggestions"]).flatMap((one) => (isValues(one) ? [String(one["prompt"])] : [])),
  };
}

function answerOfDocument(fields: Values): AnswerResult | undefined {
  const { answer, highlights } = fields;
  const quotes = listOf(highlights).map((one) => `> ${textOf(one).replaceAll("\n", "\n> ")}`);
  const text = [
    ...(typeof answer === "string" ? [answer] : []),
    ...(typeof highlights === "string" ? [highlights] : quotes),
  ].join("\n\n");
  return text === "" ? undefined : { text, sources: [], activities: [], evidence: [], suggestions: [] };
}

function textOf(value: unknown): string {
  if (!isValues(value)) return String(value);
  return String(value["text"] ?? value["quote"] ?? JSON.stringify(value));
}

/** A group of search results: `web`, `news` or `images`. */
export interface SearchGroup {
  name: string;
  items: SearchItem[];
}

export interface SearchItem {
  url: string;
  title: string;
  text: string;
  /** Provider, date and other facts. */
  facts: string[];
  imageUrl: string | undefined;
}

/** Returns the groups of a search response, of v2 or v1; empty for other responses. */
export function searchIn(body: unknown): SearchGroup[] {
  const data = isValues(body) ? body["data"] : undefined;
  if (isValues(data) && isSearch(data)) {
    return GROUPS.flatMap((name) => {
      const shown = listOf(data[name]).flatMap(toSearchItem);
      return shown.length === 0 ? [] : [{ name, items: shown }];
    });
  }
  const items = listOf(data).flatMap(toSearchItem);
  const isList = items.length > 0 && items.length === listOf(data).length && items.every(({ title }) => title !== "");
  return isList ? [{ name: "web", items }] : [];
}

function toSearchItem(item: unknown): SearchItem[] {
  if (!isValues(item)) return [];
  const [url] = toUrl(item);
  if (url === undefined || (item["metadata"] !== undefined && item["title"] === undefined)) return [];
  const text = (name: string): string => (typeof item[name] === "string" ? item[name] : "");
  const facts = [dateInWords(text("date")), text("source"), text("provider")].filter((fact) => fact !== "");
  return [
    {
      url,
      title: text("title"),
      text: text("description") || text("snippet"),
      facts,
      imageUrl: text("imageUrl") || undefined,
    },
  ];
}

const GROUPS = ["web", "news", "images"];

function isSearch(data: Values): boolean {
  return data["metadata"] === undefined && GROUPS.some((name) => listOf(data[name]).every(isValues) && name in data);
}

function isAnswer(data: Values): boolean {
  return ["result", "finalAnalysis", "llmstxt"].some((name) => typeof data[name] === "string");
}

function toSource(source: unknown): Source[] {
  const [url] = toUrl(source);
  if (url === undefined) return [];
  const { title, description } = isValues(source) ? source : {};
  return [
    {
      url,
      title: typeof title === "string" ? title : undefined,
      description: typeof description === "string" ? description : undefined,
    },
  ];
}

function evidenceIn(fields: Values): Evidence[] {
  return listOf(fields["evidence"]).filter((one) => isValues(one) && typeof one["field"] === "string") as Evidence[];
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns a time of ISO 8601 as date and time, and any other text as it is. */
function dateInWords(text: string): string {
  return /^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text)) ? toDateTime(text) : text;
}
