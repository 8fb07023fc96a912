/** Pages with gold texts. The data is not part of the project: its folder is an argument of the programs that read it. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { SOURCES, type SourceName } from "./sources.ts";

export interface CorpusPage {
  id: string;
  source: SourceName;
  url: string;
  type: string;
  /** ISO 639-1. */
  language: string;
  /** The registrable domain, as far as it can be derived without a list. */
  site: string;
  fold: number;
  gold: string;
}

export interface TrainingPage extends CorpusPage {
  html: string;
}

export const FOLDS = 5;

interface IndexEntry {
  id: string;
  url?: string;
  type: string;
}

/** A page of a source that is one compressed file of a line of JSON per page. */
interface PageLine {
  id: string;
  url: string;
  html: string;
  text: string;
  type: string;
  lang: string;
}

/** Reads DIR/index.json and DIR/gold.json.br; the HTML is in DIR/html/ID.html.br. */
export function readCorpus(directory: string): CorpusPage[] {
  const index = JSON.parse(readFileSync(join(directory, "index.json"), "utf8")) as IndexEntry[];
  const golds = JSON.parse(readBrotli(join(directory, "gold.json.br"))) as Record<string, { text?: string }>;
  return index.flatMap(({ id, url = "", type }) => {
    const gold = golds[id]?.text;
    const site = siteOf(url);
    if (gold === undefined) return [];
    return [{ id, source: "wcxb", url, type, language: "", site, fold: foldOf(site || id), gold } as const];
  });
}

export function readPageHtml(directory: string, id: string): string {
  return readBrotli(join(directory, "html", `${id}.html.br`));
}

/** Reads every source that the folder holds: `wcxb-dev/` and `main-content-extra/NAME.jsonl.gz`, or index.json itself. */
export function readSources(directory: string): TrainingPage[] {
  const benchmark = existsSync(join(directory, "index.json")) ? directory : join(directory, "wcxb-dev");
  const own = existsSync(join(benchmark, "index.json"))
    ? readCorpus(benchmark).map((page) => withHtml(page, readPageHtml(benchmark, page.id)))
    : [];
  const others = SOURCES.flatMap(({ name }) => {
    const path = join(directory, "main-content-extra", `${name}.jsonl.gz`);
    return existsSync(path) ? readPageLines<PageLine>(path).map((line) => toPage(line, name)) : [];
  });
  return [...own, ...others];
}

export function readPageLines<Line>(path: string): Line[] {
  const lines = gunzipSync(readFileSync(path)).toString("utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Line);
}

function withHtml(page: CorpusPage, html: string): TrainingPage {
  return { ...page, language: languageOf(html), html };
}

function toPage({ id, url, html, text, type, lang }: PageLine, source: SourceName): TrainingPage {
  const site = siteOf(url);
  return { id, source, url, type, language: lang, site, fold: foldOf(site || id), gold: text, html };
}

/** Returns the language that the page declares. */
function languageOf(html: string): string {
  const [, language = ""] = /<html\b[^>]*\slang\s*=\s*["']?([a-z]{2})\b/i.exec(html) ?? [];
  return language.toLowerCase() || "en";
}

function readBrotli(path: string): string {
  return brotliDecompressSync(readFileSync(path)).toString("utf8");
}

/** Two labels of the host name, three where the second is a short one such as "co" in "co.uk". */
export function siteOf(url: string): string {
  if (!URL.canParse(url)) return "";
  const labels = new URL(url).hostname.split(".");
  const shortSecond = labels.length > 2 && (labels.at(-2) ?? "").length <= 3 && (labels.at(-1) ?? "").length === 2;
  return labels.slice(shortSecond ? -3 : -2).join(".");
}

/** All pages of a site are in one fold; which one depends on the name alone. */
export function foldOf(site: string): number {
  return (createHash("sha1").update(`fold ${site}`).digest()[0] ?? 0) % FOLDS;
}

/** A page that is judged by segments that must be in the text and segments that must not. */
export interface SegmentPage {
  id: string;
  url: string;
  fold: number;
  bytes: Uint8Array;
  with: string[];
  without: string[];
}

interface SegmentLine {
  url: string;
  file: string;
  htmlBase64: string;
  with: string[];
  without: string[];
}

/** Reads `segments-dev/pages.jsonl.gz` of the folder; nothing when it has none. */
export function readSegmentPages(directory: string): SegmentPage[] {
  const path = join(directory, "segments-dev", "pages.jsonl.gz");
  if (!existsSync(path)) return [];
  return readPageLines<SegmentLine>(path).map((line) => {
    const url = /^https?:/.test(line.url) ? line.url : "";
    const site = siteOf(url) || basename(line.file);
    const bytes = Buffer.from(line.htmlBase64, "base64");
    return { id: line.file, url, fold: foldOf(site), bytes, with: line.with, without: line.without };
  });
}
