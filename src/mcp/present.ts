import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { isObject, type ApiResponse } from "./api.ts";
import { shortenTexts } from "./shorten-texts.ts";

/** Fields of a document that are text to be read; the first that is there is the body of the answer. */
const BODY_FIELDS = ["markdown", "summary", "answer", "html", "rawHtml"] as const;

/** Which part of a long text is shown. Both in UTF-16 code units. */
export interface Window {
  /** 0 when left out, for tools that do not have it as an argument. */
  offset?: number | undefined;
  maxCharacters: number;
}

/** A failure in words, with its code: the model can act on it. */
export function presentFailure({ body }: ApiResponse): CallToolResult {
  const { error = "Unknown error", code, details, id } = body;
  const lines = [`${String(error)}${code === undefined ? "" : ` (${String(code)})`}`];
  if (details !== undefined) lines.push(JSON.stringify(details));
  if (typeof id === "string" && !String(error).includes(id)) lines.push(`id: ${id}`);
  return { isError: true, content: [{ type: "text", text: lines.join("\n") }] };
}

/** Adds the answer itself, as the tool's output schema describes it, with long texts and lists cut. */
export function withStructure(result: CallToolResult, body: Record<string, unknown>, window: Window): CallToolResult {
  const { value, omittedItems } = shortenTexts(body, window.maxCharacters);
  const note = `[The structured content has no room for the last ${omittedItems} items of its lists; ask for fewer]`;
  const content = omittedItems === 0 ? result.content : [...result.content, { type: "text" as const, text: note }];
  return { ...result, content, structuredContent: value };
}

/** Any answer as JSON, cut where it is too long to be read. */
export function presentPlain(body: Record<string, unknown>, window: Window): CallToolResult {
  return { content: [{ type: "text", text: cut(JSON.stringify(body, undefined, 1), window, "the answer") }] };
}

/** A page: its text as it is, then everything else as JSON; a screenshot stays a link. */
export function presentDocument(body: Record<string, unknown>, window: Window): CallToolResult {
  const document = isObject(body.data) ? body.data : body;
  const field = BODY_FIELDS.find((name) => typeof document[name] === "string");
  const { [field ?? ""]: text, ...rest } = document;
  const metadata = isObject(document.metadata) ? document.metadata : {};
  const warning = body.warning ?? document.warning;
  const parts = [
    ...(field === undefined ? [] : [cut(String(text), window, readOn(metadata.scrapeId))]),
    ...(warning === undefined ? [] : [`Warning: ${String(warning)}`]),
    cut(JSON.stringify(rest, undefined, 1), { offset: 0, maxCharacters: window.maxCharacters }, "the metadata"),
  ];
  return { content: parts.map((part) => ({ type: "text" as const, text: part })) };
}

/** Renders the job's status, then its pages in order, up to the size limit of one response. */
export function presentJob(body: Record<string, unknown>, window: Window): CallToolResult {
  const { data, ...status } = body;
  // Evidence and sources of an answer can be longer than the answer.
  const head = {
    type: "text" as const,
    text: cut(JSON.stringify(status, undefined, 1), { maxCharacters: window.maxCharacters }, "the status"),
  };
  if (!Array.isArray(data)) {
    return data === undefined ? { content: [head] } : { content: [head, ...presentPlain({ data }, window).content] };
  }
  const share = Math.max(1000, Math.floor(window.maxCharacters / Math.max(1, data.length)));
  const pages = data.filter(isObject).map((document) => pageOf(document, share));
  return { content: [head, ...pages.map((text) => ({ type: "text" as const, text }))] };
}

function pageOf(document: Record<string, unknown>, maxCharacters: number): string {
  const { title, sourceURL, url, scrapeId } = isObject(document.metadata) ? document.metadata : {};
  const field = BODY_FIELDS.find((name) => typeof document[name] === "string");
  const text = field === undefined ? JSON.stringify(document) : String(document[field]);
  const head = `## ${String(title ?? sourceURL ?? url)}\n${String(sourceURL ?? url)} (scrapeId ${String(scrapeId)})`;
  return `${head}\n\n${cut(text, { offset: 0, maxCharacters }, readOn(scrapeId))}`;
}

function readOn(scrapeId: unknown): string {
  return scrapeId === undefined ? "the page" : `the page; read on with read_page, id ${String(scrapeId)}`;
}

function cut(text: string, { offset, maxCharacters }: Window, what: string): string {
  const start = offset ?? 0;
  const shown = text.slice(start, start + maxCharacters);
  const end = start + shown.length;
  if (end >= text.length) return shown;
  const readOn = offset === undefined ? "" : `, offset ${end}`;
  return `${shown}\n\n[Characters ${start} to ${end} of ${text.length} of ${what}${readOn}]`;
}
