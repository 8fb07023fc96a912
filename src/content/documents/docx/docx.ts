import mammoth from "mammoth";
import { AppError, isAppError } from "../../../core/errors.ts";
import type { RichContent } from "../document-content.ts";
import { corePropertiesOf } from "./office-metadata.ts";
import type { WorkBudget } from "../../../core/work-budget.ts";
import { joinTables, MANY_ELEMENTS, splitLargeTables, withoutUnusedStyles } from "./large-tables.ts";
import { countElements } from "../xml-limit.ts";
import { putReferences, REFERENCES, takeReferences } from "./note-references.ts";
import { UseLimit } from "./limit-uses.ts";
import { splitParagraphs } from "./split-paragraphs.ts";
import { withListNumbers, withNumbers, withOwnNumberings } from "./number-paragraphs.ts";
import { withHeadingNames } from "./word-numbering.ts";
import { descriptionText } from "../drawings/picture-text.ts";
import { wrap } from "../html/html-text.ts";
import { WordDrawings } from "./word-drawings.ts";
import { withoutEntities, withoutHidden, withoutLooks, withPlainRuns } from "./word-xml.ts";
import { unpackText } from "../containers/zip-pieces.ts";
import { limitZipXml, readZip, storeZip, type ZipEntry, zipText, zipTextPieces, ZipFiles } from "../containers/zip.ts";

/** Elements of all parts together: mammoth creates objects of some 1,000 bytes for each, and an isolate has 128 MB. */
const MAX_ELEMENTS = 100_000;
/** Up to this many elements, mammoth takes milliseconds whatever their form. */
const FEW_ELEMENTS = 500;

/** Names of styles that carry meaning, beyond those that mammoth knows. */
const STYLE_MAP = [
  "p[style-name='Title'] => h1:fresh",
  "p[style-name='Subtitle'] => p:fresh > em",
  "p[style-name='Quote'] => blockquote > p:fresh",
  "p[style-name='Intense Quote'] => blockquote > p:fresh",
  "p[style-name='HTML Preformatted'] => pre:separator('\\n')",
  "p[style-name='Code'] => pre:separator('\\n')",
  "p[style-name='Source Code'] => pre:separator('\\n')",
  "r[style-name='Code'] => code",
  "r[style-name='HTML Code'] => code",
  "r[style-name='Verbatim Char'] => code",
  "strike => s",
  "comment-reference => sup",
];

/** Names of styles of paragraphs in `STYLE_MAP`, in lower case. */
const MEANINGS = new Set(STYLE_MAP.flatMap((rule) => /^p\[style-name='([^']*)'/.exec(rule)?.[1]?.toLowerCase() ?? []));

/**
 * Reads a Word document (Office Open XML, ECMA-376 part 1 § 17). Pictures are not unpacked, so that a document full of
 * photographs costs no more than its text; their alternative text is returned.
 * @throws SCRAPE_DOCUMENT_PREFETCH_FAILED for a damaged file, SCRAPE_UNSUPPORTED_FILE_ERROR for a password or a bomb
 */
export async function readDocx(bytes: Uint8Array, budget: WorkBudget): Promise<RichContent> {
  const { files, texts, cut, drawings } = await openDocument(bytes, budget);
  try {
    const value = await toHtml(files, texts);
    return {
      html: drawings.putInto(withTableHeads(value)),
      metadata: corePropertiesOf(files),
      ...warningFor(cut),
    };
  } catch (error) {
    if (isAppError(error)) throw error;
    throw new AppError("SCRAPE_DOCUMENT_PREFETCH_FAILED", "The Word document is damaged", { cause: error });
  }
}

interface OpenDocument {
  files: ZipFiles;
  /** The main part, which stands for the one in `files`. */
  texts: Map<string, string>;
  /** Names of the parts that were cut. */
  cut: string[];
  drawings: WordDrawings;
}

/** Unpacks a Word document and reduces it to what is read: what was unpacked is not held longer than that takes. */
async function openDocument(bytes: Uint8Array, budget: WorkBudget): Promise<OpenDocument> {
  let main: ZipEntry | undefined;
  const isWanted = (name: string, entry?: ZipEntry): boolean => {
    if (name === MAIN) main = entry;
    return name !== MAIN && /\.(xml|rels)$/i.test(name);
  };
  const whole = readZip(bytes, isWanted, budget);
  // Its text is unpacked piece by piece.
  if (main !== undefined) whole.set(MAIN, new Uint8Array());
  const drawings = new WordDrawings(whole);
  const sorted = mainPartFirst(whole);
  whole.clear();
  const texts = await withoutUnused(sorted, drawings, unpackText(bytes, main, { budget }));
  const { files, cut } = limitZipXml(sorted, MAX_ELEMENTS, FEW_ELEMENTS, texts);
  // mammoth treats a reference to a note that was cut as damage.
  if (cut.some((name) => NOTES.test(name)))
    for (const [name, text] of texts) texts.set(name, text.replace(REFERENCES, ""));
  return { files, texts, cut, drawings };
}

/** Writes the parts of a Word document as HTML: a large one in parts, and its large tables by themselves. */
async function toHtml(files: ZipFiles, texts: ReadonlyMap<string, string>): Promise<string> {
  const name = [...texts.keys(), ...files.keys()].find((each) => each.endsWith("/document.xml"));
  if (name === undefined) return await convert(files);
  const document = texts.get(name) ?? zipText(files, name) ?? "";
  const withMain = (text: string, others: Iterable<[string, Uint8Array]>): ZipFiles =>
    new ZipFiles(files.budget, [...others, [name, new TextEncoder().encode(text)]]);
  const taken = countElements(document) > MANY_ELEMENTS ? takeReferences(document) : undefined;
  if (taken === undefined) return await convert(withMain(document, files));
  const { main, tables } = splitLargeTables(taken.document);
  const parts = splitParagraphs(main, zipText(files, "word/styles.xml") ?? "", MEANINGS);
  const withoutNotesOf = [...files].filter(([each]) => !NOTES.test(each));
  const convertAll = async (texts: Iterable<string>): Promise<string[]> => {
    const written: string[] = [];
    for (const text of texts) written.push(await convert(withMain(text, withoutNotesOf)));
    return written;
  };
  const html = (await convertAll(parts)).join("");
  const rows: string[][] = [];
  for (const table of tables) rows.push(await convertAll(table));
  const head = document.slice(0, document.indexOf("<w:body>"));
  return await putReferences(joinTables(html, rows), taken.references, async (body) =>
    convert(withMain(`${head}<w:body>${body}</w:body></w:document>`, files)),
  );
}

async function convert(files: ZipFiles): Promise<string> {
  const archive = storeZip(files).buffer;
  // mammoth names its input differently in Node and elsewhere; both names are set.
  const input = { arrayBuffer: archive, buffer: archive };
  const convertImage = mammoth.images.imgElement(async () => ({ src: "" }));
  const { value } = await mammoth.convertToHtml(input, { styleMap: STYLE_MAP, convertImage });
  return withoutInnerLinks(withoutImages(withCheckboxes(withListNumbers(value))));
}

const MAIN = "word/document.xml";
/** Parts without text, which mammoth does not read. */
const UNUSED =
  /(?:^|\/)(?:charts\/.*|diagrams\/.*|theme\/.*|settings|fontTable|webSettings|customXml\/.*|stylesWithEffects)\.xml$/i;

/**
 * Removes the parts and the elements that mammoth does not read, since it creates objects of all elements.
 * @returns the text of the main part, whose bytes are not in `files`
 */
async function withoutUnused(
  files: ZipFiles,
  drawings: WordDrawings,
  mainPieces: AsyncIterable<string>,
): Promise<Map<string, string>> {
  const main = new Map<string, string>();
  // Read first: where a numbering starts is written as in looks.
  const parts = {
    numbering: zipText(files, "word/numbering.xml") ?? "",
    styles: zipText(files, "word/styles.xml") ?? "",
  };
  for (const name of files.keys()) {
    if (UNUSED.test(name)) files.delete(name);
    else if (/^word\/[^/]*\.xml$/i.test(name)) {
      const looks = await withoutLooks(name === MAIN ? mainPieces : zipTextPieces(files, name), MAX_ELEMENTS);
      const text = drawings.replaceIn(withoutHidden(withPlainRuns(withoutEntities(looks))), name);
      if (name === MAIN) main.set(name, withNumbers(text, parts, files.budget));
      else files.set(name, new TextEncoder().encode(text));
    }
  }
  const numbering = zipText(files, "word/numbering.xml");
  if (numbering !== undefined) files.set("word/numbering.xml", new TextEncoder().encode(withOwnNumberings(numbering)));
  limitUses(files, main);
  const styles = zipText(files, "word/styles.xml");
  if (styles !== undefined) {
    const texts = [...files.keys()].filter((name) => /^word\/[^/]*\.xml$/i.test(name) && name !== "word/styles.xml");
    const own = withoutUnusedStyles(
      withHeadingNames(styles, MEANINGS),
      texts.map((name) => main.get(name) ?? zipText(files, name) ?? ""),
    );
    files.set("word/styles.xml", new TextEncoder().encode(own));
  }
  return main;
}

/** Limits how often the same links and notes are written, in the main part first. */
function limitUses(files: ZipFiles, main: Map<string, string>): void {
  const uses = new UseLimit(files);
  const names = [...files.keys()].filter((name) => name !== MAIN && /\.xml$/i.test(name) && !DEFINITIONS.test(name));
  for (const name of names) uses.addNotes(zipText(files, name) ?? "", name);
  for (const [name, text] of main) main.set(name, uses.limit(text, name));
  for (const name of names) {
    const whole = zipText(files, name) ?? "";
    const text = uses.limit(whole, name);
    if (text !== whole) files.set(name, new TextEncoder().encode(text));
  }
}

/** Parts without links and notes. */
const DEFINITIONS = /(?:^|\/)(?:styles|numbering|\[Content_Types\])\.xml$/;
/** Parts that the text refers to. */
const NOTES = /(footnotes|endnotes|comments)\.xml$/;

/**
 * Puts the main part first: styles and numbering define the looks of the text, so they precede it; margins and settings
 * are last.
 */
function mainPartFirst(files: ZipFiles): ZipFiles {
  const rank = (name: string): number => {
    const at = ["_rels/", "[Content_Types].xml", "styles.xml", "numbering.xml", "document.xml"].findIndex(
      (part) => name.endsWith(part) || (part.endsWith("/") && name.includes(part)),
    );
    return at === -1 ? 9 : at;
  };
  return new ZipFiles(
    files.budget,
    [...files].toSorted(([a], [b]) => rank(a) - rank(b)),
  );
}

function warningFor(cut: readonly string[]): { warning?: string } {
  if (!cut.some((name) => name.endsWith("document.xml") || NOTES.test(name))) return {};
  return {
    warning: `The document has more than ${MAX_ELEMENTS} elements, or too many within each other; only the text in front of that was read.`,
  };
}

/** Writes the state of check boxes, which markdown has in lists alone, as text. */
function withCheckboxes(html: string): string {
  return html.replace(/<input type="checkbox"( checked="checked")? \/> ?/g, (_, checked?: string) =>
    checked === undefined ? "[ ] " : "[x] ",
  );
}

function withoutImages(html: string): string {
  return html.replace(/<img(?: alt="([^"]*)")? src=""[^<>]*>/g, (_, alt: string | undefined) =>
    wrap("em", descriptionText(alt ?? "")),
  );
}

/** Removes links within the document: bookmarks, entries of a table of contents, notes and back. */
function withoutInnerLinks(html: string): string {
  return html
    .replace(/ ?<a href="#(?:footnote|endnote|comment)-ref-[^"]*">↑<\/a>/g, "")
    .replace(/<dt id="comment-[^"]*">[^<]*<\/dt><dd>(?:\s|<\/?p>)*<\/dd>/g, "")
    .replace(/<a id="[^"]*"><\/a>/g, "")
    .replace(/<a href="#[^"]*"[^<>]*>(.*?)<\/a>/gs, "$1");
}

/** Marks first rows as table heads: few authors do, though nearly every table has one. */
function withTableHeads(html: string): string {
  return html.replace(/<table>(<tr>(?:(?!<table|<\/tr>).)*<\/tr>)/gs, (_, row: string) => {
    return `<table><thead>${row.replace(/<(\/?)td\b/g, "<$1th")}</thead>`;
  });
}
