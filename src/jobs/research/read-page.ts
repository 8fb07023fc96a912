import { copyText } from "../../core/text/copy-text.ts";
import { QuotedText } from "../../content/structured-data/evidence/locate-quote.ts";
import type { QuotedPage } from "../../content/structured-data/evidence/provenance.ts";
import type { Evidence } from "../../core/scrape/evidence.ts";
import { sha256Hex } from "../../core/text/hash.ts";
import type { JsonSchema } from "../../core/schema/json-schema.ts";
import { isHashRoute, similarUrlKey, tidyUrl } from "../../core/url/url-key.ts";
import { MARKDOWN } from "../../formats/page/markdown.ts";
import type { StepTools, Tried } from "../step-kind.ts";
import { fitData, type FittedData, type FoundData } from "./fit-data.ts";

/** A page that research has read. */
export interface ReadPage {
  /** URL after redirects. */
  url: string;
  /** Requested URL. */
  askedUrl: string;
  title: string;
  description: string;
  favicon: string | undefined;
  markdown: string;
  links: string[];
  /** Value that rules extracted by the schema; undefined when no schema was given. */
  value: unknown;
  evidence: Evidence[];
  /** Warning about the parts that are left out of a page that is too large. */
  note?: string;
}

const MAX_MARKDOWN_CHARS = 1_000_000;
const MAX_LINKS = 5_000;
const MAX_LINK_CHARS = 1_000_000;
/**
 * Bytes of the texts, links and data of all pages of a job, while few jobs run: an isolate has 128 MB, and each text is in
 * memory several times.
 */
export const MAX_RUN_BYTES = 16_000_000;
/** A page takes this part of the bytes that are left, or a few characters. */
const SHARE = 1 / 8;
const LEAST_CHARS = 10_000;

/** Of titles and descriptions: a hostile page has one of megabytes. */
const MAX_TITLE_CHARS = 500;
const MAX_DESCRIPTION_CHARS = 2_000;
const MAX_FAVICON_CHARS = 2_048;

/** As `readWholePage`, but cuts a page that is too large to be kept with others, and says so in `note`. */
export async function readPage(...read: Parameters<typeof readWholePage>): Promise<Tried<ReadPage>> {
  const page = await readWholePage(...read);
  if (page.kind === "failed") return page;
  return { kind: "done", value: withinLimits(page.value, { text: MAX_MARKDOWN_CHARS, links: MAX_LINK_CHARS }) };
}

/** Memory that the pages of a run take together. */
export class PagesBudget {
  #left: number;

  constructor(bytes = MAX_RUN_BYTES) {
    this.#left = bytes;
  }

  /** Cuts a page to its share of what is left. Must be called in the same order on each run. */
  fit(page: ReadPage): ReadPage {
    const bytesAChar = WIDE.test(page.markdown) ? 2 : 1;
    const share = this.#share(1);
    const fitted = withinLimits(page, { text: this.#share(bytesAChar), links: share });
    const { data, bytes, isCut } = fitData(page, share);
    const links = fitted.links.reduce((sum, link) => sum + link.length, 0);
    this.#left = Math.max(0, this.#left - fitted.markdown.length * bytesAChar - links - bytes);
    const kept = { ...fitted, value: data.value, evidence: [...data.evidence] };
    if (!isCut) return kept;
    return { ...kept, note: [fitted.note, cutDataNote(page.url, bytes)].filter(Boolean).join(" ") };
  }

  /** Cuts the data of one of the pages that are still to come to its share of what is left. */
  fitData<Data extends FoundData>(data: Data, pagesToCome: number): FittedData<Data> {
    const fitted = fitData(data, Math.max(this.#share(1), Math.floor(this.#left / pagesToCome)));
    this.#left = Math.max(0, this.#left - fitted.bytes);
    return fitted;
  }

  #share(bytesAChar: number): number {
    return Math.max(LEAST_CHARS, Math.floor((this.#left * SHARE) / bytesAChar));
  }
}

/** Returns the warning about a page whose data were cut to so many bytes. */
export function cutDataNote(url: string, bytes: number): string {
  return `${url} is large: only the first ${bytes} bytes of its data were used.`;
}

/** Returns the key by which pages are told apart after redirects. A redirect keeps the client-side route of a URL. */
export function keyOfRead({ url, askedUrl }: Pick<ReadPage, "url" | "askedUrl">): string {
  const page = tidyUrl(new URL(url), { ignoreQueryParameters: false });
  const { hash } = new URL(askedUrl);
  if (page.hash === "" && isHashRoute(hash)) page.hash = hash;
  return similarUrlKey(page);
}

/** A character that makes its text take two bytes for each. */
const WIDE = /[^\0-\xff]/;

function withinLimits(page: ReadPage, maxChars: { text: number; links: number }): ReadPage {
  const isTextCut = page.markdown.length > maxChars.text;
  const markdown = isTextCut ? copyText(page.markdown.slice(0, maxChars.text)) : page.markdown;
  const links = firstLinks(page.links, maxChars.links);
  const used = [
    ...(isTextCut ? [`${maxChars.text} characters of its text`] : []),
    ...(links.length < page.links.length ? [`${links.length} of its links`] : []),
  ];
  if (used.length === 0) return page;
  const note = `${page.url} is large: only the first ${used.join(" and the first ")} were used.`;
  return { ...page, markdown, links, note };
}

/** Loads one page with all fields that research uses, once for each URL. */
export async function readWholePage(
  tools: StepTools,
  url: string,
  schema: JsonSchema | undefined,
): Promise<Tried<ReadPage>> {
  const wanted = schema === undefined ? [] : [{ type: "deterministicJson" as const, schema, evidence: true }];
  const page = await tools.scrape(`scrape ${url}`, {
    url,
    options: { formats: [MARKDOWN, { type: "links" }, ...wanted] },
  });
  if (page.kind === "failed") return page;
  const { markdown = "", links = [], json, evidence = [], metadata } = page.value;
  return {
    kind: "done",
    value: {
      url: metadata.url ?? url,
      askedUrl: url,
      title: oneText(metadata.title, MAX_TITLE_CHARS),
      description: oneText(metadata.description, MAX_DESCRIPTION_CHARS),
      favicon: faviconOf(metadata["favicon"]),
      markdown,
      links,
      value: json ?? undefined,
      evidence,
    },
  };
}

/** Returns the address of an icon. The progress of a job has those of all its pages, and no icons themselves. */
function faviconOf(value: unknown): string | undefined {
  if (typeof value !== "string" || value.length > MAX_FAVICON_CHARS) return undefined;
  return /^\s*data:/i.test(value) ? undefined : value;
}

function firstLinks(links: string[], maxChars: number): string[] {
  let chars = 0;
  const end = links.findIndex((link, index) => index >= MAX_LINKS || (chars += link.length) > maxChars);
  return end < 0 ? links : links.slice(0, end);
}

/** Returns a text in one line, cut at a number of characters. */
function oneText(value: unknown, maxChars: number): string {
  if (typeof value !== "string") return "";
  // White space takes no more than as much again in a text that people read.
  const text = value
    .trimStart()
    .slice(0, 2 * maxChars)
    .replace(/\s+/g, " ")
    .trim();
  return text.length <= maxChars ? text : copyText(`${text.slice(0, maxChars).trimEnd()}…`);
}

/** Converts a page to the form in which quotes are looked up. */
export async function toQuotedPage({ url, markdown }: ReadPage): Promise<QuotedPage> {
  const text = new QuotedText(markdown);
  const hash = await sha256Hex(markdown);
  return { url, markdown: text, markdownHash: hash, source: text, sourceHash: hash };
}
