import { MANY_ELEMENTS } from "./large-tables.ts";
import { valueOf, WordStyles } from "./word-numbering.ts";

const BODY = "<w:body>";
const END = /^<\/w:body>\s*<\/w:document>\s*$/;
/** Text that its paragraph keeps: not what was deleted or moved, nor a text box, which comes behind the paragraph. */
const TEXT = /<w:t(?: [^<>]*)?>[^<]/;
const NOT_PLAIN = /<w:(?:numPr|del|moveFrom|pict|object)[ />]/;
const FIELD_MARKS = /<w:fldChar\s[^<>]*?w:fldCharType="(begin|end)"/g;

/**
 * Splits the XML of a Word document into documents with some of its blocks each: mammoth creates some 3,000 bytes of objects for each
 * element, and an isolate has 128 MB. The HTML of the parts, one behind another, is that of the whole: a part ends behind a
 * paragraph of text, or a table, where no field is open. One part for a document in which such a place is not found. In linear time, part
 * by part.
 *
 * @param meanings names, in lower case, of the styles that join paragraphs.
 */
export function* splitParagraphs(document: string, styles: string, meanings: ReadonlySet<string>): Generator<string> {
  const body = document.indexOf(BODY);
  const blocks = body === -1 ? undefined : bodyBlocks(document, body + BODY.length);
  if (blocks === undefined) return yield document;
  const joining = joiningStyles(styles, meanings);
  const head = document.slice(0, body + BODY.length);
  let from = head.length;
  let elements = 0;
  let openFields = 0;
  for (const block of blocks) {
    elements += block.elements;
    const xml = document.slice(block.start, block.end);
    for (const [, mark] of xml.matchAll(FIELD_MARKS))
      openFields = Math.max(0, openFields + (mark === "begin" ? 1 : -1));
    if (elements < MANY_ELEMENTS || openFields > 0 || !endsPart(xml, joining)) continue;
    yield `${head}${document.slice(from, block.end)}</w:body></w:document>`;
    from = block.end;
    elements = 0;
  }
  yield head + document.slice(from);
}

interface BodyBlock {
  start: number;
  end: number;
  elements: number;
}

/** Returns the elements in the body; undefined where tags alone do not tell them. */
function bodyBlocks(document: string, from: number): BodyBlock[] | undefined {
  const blocks: BodyBlock[] = [];
  let depth = 0;
  let start = from;
  let elements = 0;
  let end = 0;
  for (let at = document.indexOf("<", from); at !== -1; at = document.indexOf("<", at + 1)) {
    const next = document[at + 1];
    if (next === "!" || next === "?") return undefined;
    // Any number of signs may begin in front of one end.
    if (end <= at) end = document.indexOf(">", at) + 1;
    if (end === 0) return undefined;
    if (next === "/") depth--;
    else {
      if (depth === 0) start = at;
      elements++;
      if (document[end - 2] !== "/") depth++;
    }
    if (depth < 0) return END.test(document.slice(at)) ? blocks : undefined;
    if (depth > 0) continue;
    blocks.push({ start, end, elements });
    elements = 0;
  }
  return undefined;
}

/** True for a block that is an element of its own in HTML, whatever follows. */
function endsPart(xml: string, joining: ReadonlySet<string>): boolean {
  if (/^<w:tbl[ >]/.test(xml)) return true;
  if (!/^<w:p[ >]/.test(xml) || NOT_PLAIN.test(xml) || !TEXT.test(xml)) return false;
  const properties = xml.slice(0, Math.max(0, xml.indexOf("</w:pPr>")));
  return !joining.has(valueOf(properties, "pStyle") ?? "");
}

/** Returns the ids of the styles whose paragraphs become one element with the next one: those of lists, quotations and code. */
function joiningStyles(xml: string, meanings: ReadonlySet<string>): Set<string> {
  const styles = new WordStyles(xml);
  const joining = new Set<string>();
  for (const part of xml.split("<w:style ").slice(1)) {
    const id = /^[^<>]*?w:styleId="([^"<>]*)"/.exec(part)?.[1];
    if (id === undefined) continue;
    const name = valueOf(part, "name")?.toLowerCase() ?? "";
    if (meanings.has(name) || styles.of(id).numId !== undefined) joining.add(id);
  }
  return joining;
}
