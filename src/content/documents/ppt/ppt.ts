import { AppError } from "../../../core/errors.ts";
import type { WorkBudget } from "../../../core/work-budget.ts";
import { openCompoundFile } from "../containers/compound-file.ts";
import type { RichContent } from "../document-content.ts";
import { escapeHtml } from "../html/html-text.ts";
import type { PptRecord } from "./ppt-records.ts";
import { childRecords, findRecord, livePptRecords, RECORDS } from "./ppt-records.ts";
import { isTable, tableToHtml } from "./ppt-table.ts";
import { hyperlinksOf, sizeOfText, type SlideText, TEXT_TYPES, TextCollector, textToHtml } from "./ppt-text.ts";

const BYTES_PER_STEP = 32;
/** Bytes of the record of a slide up to the end of the slide's id, [MS-PPT] § 2.4.14.5. */
const SLIDE_PERSIST_BYTES = 16;
const MAX_DEPTH = 50;
/** Texts of all slides in the outline, and slides; each is held. */
const MAX_OUTLINE = 100_000;
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
  const live = livePptRecords(stream, user, budget);
  const shared = { hyperlinks: hyperlinksOf(live.document, budget), budget };
  const listOf = (number: number): PptRecord | undefined =>
    findRecord(live.document, budget, ({ type, instance }) => type === RECORDS.slideList && instance === number);
  const slides = entriesOf(listOf(0), shared);
  const notes = entriesOf(listOf(2), shared);
  const notesBySlide = new Map(
    notes.map(({ persistId }) => [slideOfNotes(live.byId(persistId), budget), live.byId(persistId)]),
  );
  const html = slides.map((entry, at) => {
    const parts = partsOf(live.byId(entry.persistId), entry.outline.texts, shared);
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

function entriesOf(list: PptRecord | undefined, shared: Shared): SlideEntry[] {
  const entries: SlideEntry[] = [];
  const held = shared.budget.within({ steps: MAX_OUTLINE });
  for (const record of childRecords(list, shared.budget)) {
    if (HELD.has(record.type) && !held.take()) {
      held.cut("the text of the slides");
      break;
    }
    if (record.type === RECORDS.slidePersist) {
      // A record that is cut short names no slide.
      if (record.data.byteLength < SLIDE_PERSIST_BYTES) continue;
      const [persistId, slideId] = [record.data.getUint32(0, true), record.data.getUint32(12, true)];
      entries.push({ persistId, slideId, outline: new TextCollector(shared) });
    } else entries.at(-1)?.outline.add(record);
  }
  return entries;
}

/** Records that begin a slide, a text or a link. */
const HELD: ReadonlySet<number> = new Set([RECORDS.slidePersist, RECORDS.textHeader, RECORDS.linkedText]);

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
    const collector = new TextCollector(shared, outline);
    for (const record of childRecords(textbox, budget)) collector.add(record);
    // Any number of shapes may refer to the same text of the outline.
    return collector.texts.filter((text) => text.text.trim() !== "" && takes(sizeOfText(text)));
  };
  const writeCell = (textbox: PptRecord): string => textsOf(textbox).map(textToHtml).join("");
  const parts: SlidePart[] = [];
  for (const shape of shapesOf(slide, budget)) {
    const table = shape.type === RECORDS.group ? tableToHtml(shape, budget, writeCell) : undefined;
    if (table !== undefined) parts.push({ table });
    else for (const textbox of textboxesOf(shape, budget)) parts.push(...textsOf(textbox));
  }
  return parts;
}

/** Yields the text boxes and the tables below a record, in order. */
function* shapesOf(parent: PptRecord, budget: WorkBudget, depth = 0): Generator<PptRecord> {
  if (depth > MAX_DEPTH) return;
  for (const record of childRecords(parent, budget)) {
    if (record.type === RECORDS.clientTextbox || (record.type === RECORDS.group && isTable(record, budget)))
      yield record;
    else yield* shapesOf(record, budget, depth + 1);
  }
}

function* textboxesOf(shape: PptRecord, budget: WorkBudget): Generator<PptRecord> {
  if (shape.type === RECORDS.clientTextbox) return yield shape;
  for (const cell of childRecords(shape, budget))
    for (const record of childRecords(cell, budget)) if (record.type === RECORDS.clientTextbox) yield record;
}

function slideOfNotes(notes: PptRecord | undefined, budget: WorkBudget): number {
  const atom = findRecord(notes, budget, ({ type, data }) => type === RECORDS.notesAtom && data.byteLength >= 4);
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
