import type { DocumentKind } from "./document-kind.ts";
import { detectUtf16, toBinaryString } from "../../text/charset-detection.ts";
import { compoundFileKind } from "../containers/compound-file.ts";
import { pictureType } from "./picture-type.ts";
import { listZip, readZip, type ZipEntry, zipText } from "../containers/zip.ts";
import { withoutPrototype } from "../../../core/without-prototype.ts";

const SNIFF_BYTES = 4_096;
/** Size of a `mimetype` file, packed and unpacked; the longest known type has 62 characters. */
const MAX_MIMETYPE_BYTES = 256;

/** First bytes of formats that are never text; RFCs and the WHATWG MIME Sniffing Standard § 6. */
const BINARY_MAGIC = [
  "\x89PNG\r\n",
  "\xff\xd8\xff",
  "GIF87a",
  "GIF89a",
  "RIFF",
  "\x1f\x8b\x08",
  "BZh",
  "7z\xbc\xaf\x27\x1c",
  "Rar!\x1a\x07",
  "\xfd7zXZ\x00",
  "\x28\xb5\x2f\xfd",
  "OggS",
  "ID3",
  "fLaC",
  "\x1aE\xdf\xa3",
  "wOFF",
  "wOF2",
  "\x00asm",
  "\x7fELF",
  "\x00\x00\x01\x00",
  "\xca\xfe\xba\xbe",
];

/** The markup by which MIME Sniffing § 7.1 recognises unlabelled bytes as HTML. */
const HTML_START =
  /^(<!doctype html|<(html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|meta|link|section|main|article)[\s>]|<!--)/i;

const OPEN_DOCUMENT_KINDS: Record<string, DocumentKind> = withoutPrototype({
  "application/vnd.oasis.opendocument.text": "odt",
  "application/vnd.oasis.opendocument.text-template": "odt",
  "application/vnd.oasis.opendocument.spreadsheet": "ods",
  "application/vnd.oasis.opendocument.spreadsheet-template": "ods",
  "application/vnd.oasis.opendocument.presentation": "odp",
  "application/vnd.oasis.opendocument.presentation-template": "odp",
  "application/epub+zip": "epub",
});

/** Returns the kind that the first bytes prove; undefined when they prove nothing. */
export function kindFromMagic(bytes: Uint8Array): DocumentKind | undefined {
  const head = toBinaryString(bytes.subarray(0, 1_024));
  if (/^[\s\0\xef\xbb\xbf]{0,16}%PDF-/.test(head)) return "pdf";
  if (head.startsWith("{\\rtf")) return "rtf";
  if (head.startsWith("PK\x03\x04")) return zipKind(bytes);
  if (head.startsWith("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")) return compoundFileKind(bytes);
  if (pictureType(bytes) !== undefined) return "image";
  if (/^....ftyp/s.test(head)) return "binary";
  return BINARY_MAGIC.some((magic) => head.startsWith(magic)) ? "binary" : undefined;
}

/** Returns the kind of unlabelled bytes, judged as text; `binary` when they are not text. */
export function kindFromText(bytes: Uint8Array): DocumentKind {
  if (/%PDF-/.test(toBinaryString(bytes.subarray(0, 1_024)))) return "pdf";
  const text = textStart(bytes);
  if (text === undefined) return "binary";
  const start = text.replace(/^[\uFEFF\s]+/, "");
  if (HTML_START.test(start)) return kindOfXmlRoot(start) ?? "html";
  if (/^<(\?xml|!DOCTYPE|[a-z_][\w.-]*(:[\w.-]*)?[\s>/])/i.test(start)) return kindOfXmlRoot(start) ?? "xml";
  if (/^(\{\s*("|\})|\[\s*(["{[\]\d-]|true|false|null))/.test(start)) return "json";
  return "text";
}

function textStart(bytes: Uint8Array): string | undefined {
  const head = bytes.subarray(0, SNIFF_BYTES);
  const marked =
    head[0] === 0xff && head[1] === 0xfe ? "utf-16le" : head[0] === 0xfe && head[1] === 0xff ? "utf-16be" : undefined;
  const utf16 = marked ?? detectUtf16(head);
  const text =
    utf16 === undefined ? toBinaryString(head).replace(/^\xef\xbb\xbf/, "") : new TextDecoder(utf16).decode(head);
  return BINARY_DATA.test(text) ? undefined : text;
}

/** The binary data bytes of MIME Sniffing § 3, and the replacement characters of UTF-16 decoding. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const BINARY_DATA = /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\ufffd\ufffe\uffff]/;

function kindOfXmlRoot(text: string): DocumentKind | undefined {
  const body = withoutProlog(text);
  const [tag = "", name = ""] = /<([\w.:-]+)[^>]*>?/.exec(body) ?? [];
  const local = name.replace(/^.*:/, "").toLowerCase();
  if (local === "rss" || (local === "feed" && (/atom|purl/i.test(tag) || /<(\w{1,20}:)?entry[\s>]/i.test(body))))
    return "feed";
  if (local === "feed" && /<(\w{1,20}:)?(title|tagline|subtitle)[\s>]/i.test(body)) return "feed";
  if (local === "rdf" && /purl\.org\/rss|my\.netscape\.com\/rdf/i.test(body)) return "feed";
  if (local === "channel" && /<(?:item|abstract|title|logo|a)[\s>]|\shref=/i.test(body)) return "feed";
  return local === "html" ? "html" : undefined;
}

/**
 * Returns text without its comments, processing instructions and document types. An unterminated one stays, with all
 * text behind it.
 */
function withoutProlog(text: string): string {
  let kept = "";
  let from = 0;
  for (const { 0: open, index } of text.matchAll(/<!--|<\?|<!DOCTYPE/gi)) {
    if (index < from) continue;
    const end = endOfProlog(text, open, index + open.length);
    if (end === -1) break;
    kept += text.slice(from, index);
    from = end;
  }
  return kept + text.slice(from);
}

/** Returns the end of the prolog item; -1 when it does not end. A document type may hold declarations in brackets. */
function endOfProlog(text: string, open: string, from: number): number {
  if (open === "<!--") return endOf(text, "-->", from);
  if (open === "<?") return endOf(text, "?>", from);
  const bracket = text.indexOf("[", from);
  const close = text.indexOf(">", from);
  if (bracket === -1 || close < bracket) return endOf(text, ">", from);
  const declarationsEnd = endOf(text, "]", bracket);
  return declarationsEnd === -1 ? -1 : endOf(text, ">", declarationsEnd);
}

function endOf(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at === -1 ? -1 : at + mark.length;
}

function isMimetype(entry: ZipEntry | undefined): boolean {
  return Math.max(entry?.packedBytes ?? 0, entry?.declaredBytes ?? 0) <= MAX_MIMETYPE_BYTES;
}

function zipKind(bytes: Uint8Array): DocumentKind | undefined {
  const names = new Set(listZip(bytes).map(({ name }) => name));
  const has = (prefix: string): boolean => [...names].some((name) => name.startsWith(prefix));
  if (has("word/")) return "docx";
  if (has("xl/")) return "xlsx";
  if (has("ppt/")) return "pptx";
  // OpenDocument and EPUB state their media type in a separate file.
  const stated = names.has("mimetype")
    ? zipText(
        readZip(bytes, (name, entry) => name === "mimetype" && isMimetype(entry)),
        "mimetype",
      )
    : undefined;
  const known = OPEN_DOCUMENT_KINDS[stated?.trim() ?? ""];
  if (known !== undefined) return known;
  if (names.has("META-INF/container.xml")) return "epub";
  // A truncated archive has lost its directory; type and name still show its kind.
  return names.size === 0 ? undefined : "binary";
}
