import type { DocumentKind } from "./document-kind.ts";
import { kindFromMagic, kindFromText } from "./kind-magic.ts";
import { PICTURE_TYPES } from "./picture-type.ts";
import { withoutPrototype } from "../../../core/without-prototype.ts";

const OOXML = "application/vnd.openxmlformats-officedocument";
const OPEN_DOCUMENT = "application/vnd.oasis.opendocument";

/** Kinds by content type, in lower case and without parameters. */
export const KINDS_BY_TYPE: Record<string, DocumentKind> = withoutPrototype({
  "text/html": "html",
  "application/xhtml+xml": "html",
  "application/pdf": "pdf",
  "application/x-pdf": "pdf",
  [`${OOXML}.wordprocessingml.document`]: "docx",
  [`${OOXML}.wordprocessingml.template`]: "docx",
  "application/vnd.ms-word.document.macroenabled.12": "docx",
  "application/msword": "doc",
  [`${OOXML}.spreadsheetml.sheet`]: "xlsx",
  [`${OOXML}.spreadsheetml.template`]: "xlsx",
  "application/vnd.ms-excel.sheet.macroenabled.12": "xlsx",
  "application/vnd.ms-excel.sheet.binary.macroenabled.12": "xlsx",
  "application/vnd.ms-excel": "xls",
  "application/msexcel": "xls",
  [`${OOXML}.presentationml.presentation`]: "pptx",
  [`${OOXML}.presentationml.slideshow`]: "pptx",
  "application/vnd.ms-powerpoint.presentation.macroenabled.12": "pptx",
  "application/vnd.ms-powerpoint": "ppt",
  [`${OPEN_DOCUMENT}.text`]: "odt",
  [`${OPEN_DOCUMENT}.spreadsheet`]: "ods",
  [`${OPEN_DOCUMENT}.presentation`]: "odp",
  "application/epub+zip": "epub",
  "application/rtf": "rtf",
  "application/x-rtf": "rtf",
  "text/rtf": "rtf",
  "text/csv": "csv",
  "application/csv": "csv",
  "text/comma-separated-values": "csv",
  "text/tab-separated-values": "tsv",
  "application/rss+xml": "feed",
  "application/atom+xml": "feed",
  "application/rdf+xml": "feed",
  "application/json": "json",
  "text/json": "json",
  "application/x-ndjson": "json",
  "application/xml": "xml",
  "text/xml": "xml",
  "image/svg+xml": "xml",
  "application/javascript": "text",
  "application/x-javascript": "text",
  "application/ecmascript": "text",
  "application/typescript": "text",
  "application/sql": "text",
  "application/yaml": "text",
  "application/x-yaml": "text",
  "application/toml": "text",
  "application/x-sh": "text",
  "application/x-tex": "text",
  ...Object.fromEntries(PICTURE_TYPES.map((type) => [type, "image" as const])),
  "application/zip": "binary",
});

/** Kinds by file extension, in lower case and without the dot. */
export const KINDS_BY_EXTENSION: Record<string, DocumentKind> = withoutPrototype({
  html: "html",
  htm: "html",
  xhtml: "html",
  pdf: "pdf",
  docx: "docx",
  docm: "docx",
  dotx: "docx",
  doc: "doc",
  dot: "doc",
  odt: "odt",
  ott: "odt",
  rtf: "rtf",
  xlsx: "xlsx",
  xlsm: "xlsx",
  xlsb: "xlsx",
  xltx: "xlsx",
  xls: "xls",
  xlt: "xls",
  ods: "ods",
  ots: "ods",
  csv: "csv",
  tsv: "tsv",
  tab: "tsv",
  pptx: "pptx",
  pptm: "pptx",
  ppsx: "pptx",
  ppt: "ppt",
  pps: "ppt",
  odp: "odp",
  epub: "epub",
  json: "json",
  jsonl: "json",
  ndjson: "json",
  geojson: "json",
  xml: "xml",
  svg: "xml",
  rss: "feed",
  atom: "feed",
  txt: "text",
  md: "text",
  markdown: "text",
  log: "text",
  png: "image",
  jpg: "image",
  jpeg: "image",
  gif: "image",
  webp: "image",
  avif: "image",
  bmp: "image",
  tif: "image",
  tiff: "image",
});

/** Every kind that has its own name among files. */
export const READABLE_KINDS: readonly DocumentKind[] = [...new Set(Object.values(KINDS_BY_EXTENSION))];

/** Types that mean no more than "some file"; the name and the bytes decide. */
const UNSPECIFIC_TYPES = new Set([
  "",
  "application/octet-stream",
  "binary/octet-stream",
  "application/x-download",
  "application/download",
  "application/force-download",
  "application/unknown",
  "unknown/unknown",
  "*/*",
]);

export interface DocumentClues {
  contentType: string | undefined;
  /** A URL or a file name, of which the extension is used. */
  name: string;
  bytes: Uint8Array;
}

/**
 * Detects the kind of a file: by its first bytes where they decide, then by its media type, then by its extension, then
 * by how its text begins. HTML sent as `text/plain` stays text, as in a browser (WHATWG MIME Sniffing § 7); a table
 * sent as `text/plain` under a name such as `x.csv` is a table, since that is how code hosts serve them.
 * @returns undefined for an empty body without a type
 */
export function documentKind({ contentType, name, bytes }: DocumentClues): DocumentKind | undefined {
  const magic = kindFromMagic(bytes);
  if (magic !== undefined) return magic;

  const type = mediaType(contentType);
  const byName = KINDS_BY_EXTENSION[extensionOf(name)];
  if (UNSPECIFIC_TYPES.has(type)) return kindWithoutType(byName, bytes);
  if (type === "text/plain") return byName === "csv" || byName === "tsv" ? byName : plainTextOrBinary(bytes);

  const byType = kindFromType(type);
  if (byType === undefined) return kindWithoutType(byName, bytes);
  if (byType === "xml") return xmlFamily(bytes) ?? "xml";
  // MIME Sniffing § 7.3: servers send feeds as HTML.
  if (type === "text/html") return xmlFamily(bytes) ?? "html";
  return isContainer(byType) ? textInDisguise(byType, bytes) : byType;
}

/**
 * Returns the kind that an extension or a media type alone indicates, for uploads that are rejected before they are
 * read.
 */
export function promisedKind(name: string, contentType: string | undefined): DocumentKind | undefined {
  return KINDS_BY_EXTENSION[extensionOf(name)] ?? KINDS_BY_TYPE[mediaType(contentType)];
}

/** Reports whether the extension of a URL or a file name says what kind of file it is. */
export function hasKnownExtension(name: string): boolean {
  return KINDS_BY_EXTENSION[extensionOf(name)] !== undefined;
}

/** Returns the media type alone, in lower case, without parameters. */
function mediaType(contentType: string | undefined): string {
  return contentType?.split(/[;,]/)[0]?.trim().toLowerCase() ?? "";
}

/** Returns the extension of a URL's path or of a file name, in lower case, without the dot. */
function extensionOf(name: string): string {
  const path = /^[a-z][a-z0-9+.-]*:\/\//i.test(name)
    ? name.replace(/[?#].*$/s, "").replace(/^[^:]+:\/\/[^/]*/, "")
    : name;
  return /\.([a-z0-9]{1,10})$/i.exec(path)?.[1]?.toLowerCase() ?? "";
}

/** @returns undefined for a type that says nothing: one that is no media type, or an unknown one of an application */
function kindFromType(type: string): DocumentKind | undefined {
  const known = KINDS_BY_TYPE[type];
  if (known !== undefined) return known;
  if (type.endsWith("+json")) return "json";
  if (type.endsWith("+xml")) return "xml";
  if (type.startsWith("text/")) return "text";
  return type.startsWith("application/") || !type.includes("/") ? undefined : "binary";
}

function kindWithoutType(byName: DocumentKind | undefined, bytes: Uint8Array): DocumentKind | undefined {
  if (bytes.length === 0) return byName;
  const byText = kindFromText(bytes);
  if (byName === undefined) return byText;
  if (isContainer(byName)) return textInDisguise(byName, bytes);
  if (byText === "binary") return "binary";
  return byName === "xml" ? (xmlFamily(bytes) ?? "xml") : byName;
}

/** Reports whether magic bytes would have shown the format. */
function isContainer(kind: DocumentKind): boolean {
  return !["html", "csv", "tsv", "json", "xml", "feed", "text", "binary"].includes(kind);
}

/**
 * Returns the apparent kind of a file without the expected magic bytes: a page (an error, a table saved as .xls) or a
 * list of values.
 */
function textInDisguise(promised: DocumentKind, bytes: Uint8Array): DocumentKind {
  const byText = kindFromText(bytes);
  if (byText === "html") return "html";
  if (promised === "xls" && byText !== "binary") return byText === "xml" ? "xls" : "csv";
  return promised;
}

function plainTextOrBinary(bytes: Uint8Array): DocumentKind {
  return kindFromText(bytes) === "binary" ? "binary" : "text";
}

function xmlFamily(bytes: Uint8Array): DocumentKind | undefined {
  const byText = kindFromText(bytes);
  return byText === "feed" || byText === "html" ? byText : undefined;
}
