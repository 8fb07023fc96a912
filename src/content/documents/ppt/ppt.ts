import { AppError } from "../../../core/errors.ts";
import type { WorkBudget } from "../../../core/work-budget.ts";
import { openCompoundFile } from "../containers/compound-file.ts";
import type { RichContent } from "../document-content.ts";
import { escapeHtml } from "../html/html-text.ts";
import type { PptRecord } from "./ppt-records.ts";
import { childRecords, livePptRecords, RECORDS } from "./ppt-records.ts";
import { isTable, tableToHtml } from "./ppt-table.ts";
import { hyperlinksOf, sizeOfText, type SlideText, TEXT_TYPES, TextCollector, textToHtml } from "./ppt-text.ts";

const BYTES_PER_STEP = 32;
const MAX_DEPTH = 50;
const TITLES: ReadonlySet<number> = new Set([TEXT_TYPES.title, TEXT_TYPES.centredTitle]);

/** The text of a shape, or a table as HTML. */
type SlidePart = SlideText | { table: string };

/** Parts of a presentation that all slides share. */
interface Shared {
  hyperlinks: ReadonlyMap<number, string>;
  budget: WorkBudget;
}

/**
 * Reads a PowerPoint 97–2003 presentation: a heading for each slide, its text, lists and tables, then the speaker's notes.
 * @throws SCRAPE_UNSUPPORTED_FILE_ERROR for a password, SCRAPE_DOCUMENT_PREFETCH_FAILED for a damaged file
 */
export function readPpt(bytes: Uint8Array, budget: WorkBudget): RichContent {
  const container = openCompoundFile(bytes);
  const stream = container.stream("PowerPoint Document");
  const user = container.stream("Current User");
  if (stream === undefined || user === undefined) {
    throw new AppError("SCRAPE_DOCUMENT_PREFETCH_FAILED", "The file holds no presentation");
  }
  const live = livePptRecords(stream, user);
  const shared = { hyperlinks: hyperlinksOf(live.document), budget };
  const lists = childRecords(live.document).filter(({ type }) => type === RECORDS.slideList);
  const listOf = (number: number): PptRecord | undefined => lists.find(({ instance }) => instance === number);
  const slides = entriesOf(listOf(0), shared);
  const notes = entriesOf(listOf(2), shared);
  const notesBySlide = new Map(
    notes.map((entry) => [slideOfNotes(live.byId.get(entry.persistId)), live.byId.get(entry.persistId)]),
  );
  const html = slides.map((entry, at) => {
    const parts = partsOf(live.byId.get(entry.persistId), entry.outline.texts, shared);
    return slideToHtml(parts, at + 1) + notesToHtml(partsOf(notesBySlide.get(entry.slideId), [], shared));
  });
  return { html: html.join("\n"), metadata: { numSlides: slides.length } };
}

interface SlideEntry {
  persistId: number;
  slideId: number;
  /** Texts of the slide's placeholders, to which its shapes refer by number. */
  outline: TextCollector;
}

function entriesOf(list: PptRecord | undefined, { hyperlinks }: Shared): SlideEntry[] {
  const entries: SlideEntry[] = [];
  for (const record of childRecords(list)) {
    if (record.type === RECORDS.slidePersist) {
      const [persistId, slideId] = [record.data.getUint32(0, true), record.data.getUint32(12, true)];
      entries.push({ persistId, slideId, outline: new TextCollector(hyperlinks) });
    } else entries.at(-1)?.outline.add(record);
  }
  return entries;
}

/** Returns the texts and tables of a slide in drawing order. */
function partsOf(slide: PptRecord | undefined, outline: readonly SlideText[], shared: Shared): SlidePart[] {
  const { budget } = shared;
  const takes = (bytes: number): boolean => {
    const isLeft = budget.takeBytes(bytes) && budget.take(bytes / BYTES_PER_STEP);
    if (!isLeft) budget.cut("the text of the slides");
    return isLeft;
  };
  // A list may name the same slide repeatedly.
  if (!takes(slide?.data.byteLength ?? 0)) return [];
  if (slide === undefined) return [...outline];
  const textsOf = (textbox: PptRecord): SlideText[] => {
    const collector = new TextCollector(shared.hyperlinks, outline);
    for (const record of childRecords(textbox)) collector.add(record);
    // Any number of shapes may refer to the same text of the outline.
    return collector.texts.filter((text) => text.text.trim() !== "" && takes(sizeOfText(text)));
  };
  const writeCell = (textbox: PptRecord): string => textsOf(textbox).map(textToHtml).join("");
  const parts: SlidePart[] = [];
  for (const shape of shapesOf(slide)) {
    const table = shape.type === RECORDS.group ? tableToHtml(shape, budget, writeCell) : undefined;
    if (table !== undefined) parts.push({ table });
    else for (const textbox of textboxesOf(shape)) parts.push(...textsOf(textbox));
  }
  return parts;
}

/** Yields the text boxes and the tables below a record, in order. */
function* shapesOf(parent: PptRecord, depth = 0): Generator<PptRecord> {
  if (depth > MAX_DEPTH) return;
  for (const record of childRecords(parent)) {
    if (record.type === RECORDS.clientTextbox || (record.type === RECORDS.group && isTable(record))) yield record;
    else yield* shapesOf(record, depth + 1);
  }
}

function textboxesOf(shape: PptRecord): PptRecord[] {
  if (shape.type === RECORDS.clientTextbox) return [shape];
  return childRecords(shape).flatMap((cell) => childRecords(cell).filter(({ type }) => type === RECORDS.clientTextbox));
}

function slideOfNotes(notes: PptRecord | undefined): number {
  const atom = childRecords(notes).find(({ type }) => type === RECORDS.notesAtom);
  return atom === undefined ? -1 : atom.data.getUint32(0, true);
}

function slideToHtml(parts: readonly SlidePart[], number: number): string {
  const title = parts.find((part): part is SlideText => "text" in part && TITLES.has(part.type));
  const heading = title === undefined ? `Slide ${number}` : title.text.replace(/\s+/g, " ").trim();
  const rest = parts.filter((part) => part !== title);
  return `<h2>${escapeHtml(heading)}</h2>${rest.map((part) => ("table" in part ? part.table : textToHtml(part))).join("")}`;
}

function notesToHtml(parts: readonly SlidePart[]): string {
  const html = parts.map((part) => ("text" in part && part.type === TEXT_TYPES.notes ? textToHtml(part) : "")).join("");
  return html === "" ? "" : `<h3>Notes</h3>${html}`;
}
