import type { DocumentKind } from "./document-kind.ts";
import { KINDS_BY_EXTENSION, KINDS_BY_TYPE } from "./kind.ts";

export type FileFamily = "document" | "spreadsheet" | "presentation" | "book" | "web" | "data" | "text" | "picture";

/** A kind of file that can be parsed. */
export interface FileFormat {
  format: DocumentKind;
  kind: FileFamily;
  /** File extensions with their dot, such as `.docx`. */
  extensions: string[];
  mimeTypes: string[];
}

const FAMILIES: Readonly<Record<Exclude<DocumentKind, "binary">, FileFamily>> = {
  html: "web",
  pdf: "document",
  docx: "document",
  doc: "document",
  odt: "document",
  rtf: "document",
  xlsx: "spreadsheet",
  xls: "spreadsheet",
  ods: "spreadsheet",
  csv: "spreadsheet",
  tsv: "spreadsheet",
  pptx: "presentation",
  ppt: "presentation",
  odp: "presentation",
  epub: "book",
  json: "data",
  xml: "data",
  feed: "data",
  text: "text",
  image: "picture",
};

/** Every kind of file that can be parsed, with the extensions and content types that name it. */
export function fileFormats(): FileFormat[] {
  return Object.entries(FAMILIES).map(([format, kind]) => ({
    format: format as DocumentKind,
    kind,
    extensions: namesOf(KINDS_BY_EXTENSION, format).map((name) => `.${name}`),
    mimeTypes: [...namesOf(KINDS_BY_TYPE, format), ...(format === "text" ? ["text/plain", "text/markdown"] : [])],
  }));
}

function namesOf(kinds: Readonly<Record<string, DocumentKind>>, format: string): string[] {
  return Object.keys(kinds).filter((name) => kinds[name] === format);
}
