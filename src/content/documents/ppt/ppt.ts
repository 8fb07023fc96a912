import { AppError } from "../../../core/errors.ts";
import type { WorkBudget } from "../../../core/work-budget.ts";
import { openCompoundFile } from "../containers/compound-file.ts";
import type { RichContent } from "../document-content.ts";
import { htmlList } from "../html/html-list.ts";
import { escapeHtml, wrap } from "../html/html-text.ts";
import type { PptRecord } from "./ppt-records.ts";
import { childRecords, livePptRecords, RECORDS, walkRecords } from "./ppt-records.ts";

const BYTES_PER_STEP = 32;
/** Kinds of text, [MS-PPT] § 2.13.33. */
const TITLE_TYPES = new Set([0, 6]);
const BODY_TYPES = new Set([1, 7, 8]);

interface SlideText {
  type: number;
  text: string;
}

/**
 * Reads a PowerPoint 97–2003 presentation: a heading for each slide, its text, then the speaker's notes.
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
  const lists = childRecords(live.document).filter(({ type }) => type === RECORDS.slideList);
  const slides = entriesOf(lists.find(({ instance }) => instance === 0));
  const notes = entriesOf(lists.find(({ instance }) => instance === 2));
  const notesBySlide = new Map(
    notes.map((entry) => [slideOfNotes(live.byId.get(entry.persistId)), live.byId.get(entry.persistId)]),
  );
  const html = slides.map((entry, at) => {
    const texts = textsOf(live.byId.get(entry.persistId), entry.texts, budget);
    return slideToHtml(texts, at + 1) + notesToHtml(textsOf(notesBySlide.get(entry.slideId), [], budget));
  });
  return { html: html.join("\n"), metadata: { numSlides: slides.length } };
}

interface SlideEntry {
  persistId: number;
  slideId: number;
  /** Texts of the slide's placeholders, to which its shapes refer by number. */
  texts: SlideText[];
}

function entriesOf(list: PptRecord | undefined): SlideEntry[] {
  const entries: SlideEntry[] = [];
  let type = 4;
  for (const record of childRecords(list)) {
    if (record.type === RECORDS.slidePersist) {
      entries.push({ persistId: record.data.getUint32(0, true), slideId: record.data.getUint32(12, true), texts: [] });
    } else if (record.type === RECORDS.textHeader) {
      type = record.data.getUint32(0, true);
      entries.at(-1)?.texts.push({ type, text: "" });
    } else {
      const last = entries.at(-1)?.texts.at(-1);
      if (last !== undefined) last.text += textOfRecord(record);
    }
  }
  return entries;
}

/** Returns the texts of a slide's shapes in drawing order. */
function textsOf(slide: PptRecord | undefined, outline: readonly SlideText[], budget: WorkBudget): SlideText[] {
  // A list may name the same slide repeatedly.
  if (!budget.takeBytes(slide?.data.byteLength ?? 0) || !budget.take((slide?.data.byteLength ?? 0) / BYTES_PER_STEP)) {
    budget.cut("the text of the slides");
    return [];
  }
  if (slide === undefined) return [...outline];
  const texts: SlideText[] = [];
  for (const box of walkRecords(slide).filter(({ type }) => type === RECORDS.clientTextbox)) {
    let type = 4;
    for (const record of childRecords(box)) {
      if (record.type === RECORDS.textHeader) type = record.data.getUint32(0, true);
      const referred = record.type === RECORDS.outlineReference ? outline[record.data.getUint32(0, true)] : undefined;
      const text = referred?.text ?? textOfRecord(record);
      if (text.trim() !== "") texts.push({ type: referred?.type ?? type, text });
    }
  }
  return texts;
}

function textOfRecord(record: PptRecord): string {
  const bytes = new Uint8Array(record.data.buffer, record.data.byteOffset, record.data.byteLength);
  if (record.type === RECORDS.textCharacters) return new TextDecoder("utf-16le").decode(bytes);
  return record.type === RECORDS.textBytes ? new TextDecoder("latin1").decode(bytes) : "";
}

function slideOfNotes(notes: PptRecord | undefined): number {
  const atom = childRecords(notes).find(({ type }) => type === RECORDS.notesAtom);
  return atom === undefined ? -1 : atom.data.getUint32(0, true);
}

function slideToHtml(texts: readonly SlideText[], number: number): string {
  const title = texts.find(({ type }) => TITLE_TYPES.has(type));
  const heading = title === undefined ? `Slide ${number}` : title.text.replace(/\s+/g, " ").trim();
  const rest = texts
    .filter((text) => text !== title)
    .map(({ type, text }) => {
      const lines = linesOf(text);
      if (!BODY_TYPES.has(type)) return lines.map((line) => wrap("p", line)).join("");
      return htmlList(lines.map((html) => ({ html, depth: 0, isOrdered: false })));
    });
  return `<h2>${escapeHtml(heading)}</h2>${rest.join("")}`;
}

function notesToHtml(texts: readonly SlideText[]): string {
  const lines = texts.filter(({ type }) => type === 2).flatMap(({ text }) => linesOf(text));
  return lines.length === 0 ? "" : `<h3>Notes</h3>${lines.map((line) => wrap("p", line)).join("")}`;
}

function linesOf(text: string): string[] {
  return text
    .split("\r")
    .map((line) => escapeHtml(line.trim()).replaceAll("\u000b", "<br>"))
    .filter((line) => line !== "" && line !== "*");
}
