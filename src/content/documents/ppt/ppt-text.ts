import { depthOf, type FlatItem, htmlList } from "../html/html-list.ts";
import type { WorkBudget } from "../../../core/work-budget.ts";
import { escapeHtml, link } from "../html/html-text.ts";
import { childRecords, findRecord, type PptRecord, RECORDS } from "./ppt-records.ts";

/** Kinds of text, [MS-PPT] § 2.13.33. */
export const TEXT_TYPES = {
  title: 0,
  body: 1,
  notes: 2,
  other: 4,
  centredTitle: 6,
  halfBody: 7,
  quarterBody: 8,
} as const;
const LISTS: ReadonlySet<number> = new Set([TEXT_TYPES.body, TEXT_TYPES.halfBody, TEXT_TYPES.quarterBody]);
/** Texts of one slide; what follows the last one is added to it. */
const MAX_TEXTS = 10_000;
/** Any number of links may have the same address. */
const MAX_HREF_CHARS = 16_384;

/** The text of a shape, with paragraphs that end with `\r`. */
export interface SlideText {
  type: number;
  text: string;
  /** Properties of paragraphs, one run of characters after another. */
  runs: ParagraphRun[];
  /** Ranges of characters that lead to an address. */
  links: { from: number; to: number; href: string }[];
}

/** Returns the characters of a text and of the addresses of its links. */
export function sizeOfText({ text, links }: SlideText): number {
  return links.reduce((sum, { href }) => sum + href.length, text.length);
}

interface ParagraphRun {
  characters: number;
  level: number;
  /** Undefined where the master of the slide says it. */
  hasBullet: boolean | undefined;
}

/** Returns the addresses outside of the presentation by their ids, [MS-PPT] § 2.10.16. */
export function hyperlinksOf(document: PptRecord, budget: WorkBudget): Map<number, string> {
  const links = new Map<number, string>();
  for (const list of childRecords(document, budget)) {
    if (list.type !== RECORDS.externalObjects) continue;
    for (const object of childRecords(list, budget))
      if (object.type === RECORDS.hyperlink) addLink(links, object, budget);
  }
  return links;
}

function addLink(links: Map<number, string>, object: PptRecord, budget: WorkBudget): void {
  const isId = ({ type, data }: PptRecord): boolean => type === RECORDS.hyperlinkAtom && data.byteLength >= 4;
  const id = findRecord(object, budget, isId);
  const target = findRecord(object, budget, ({ type, instance }) => type === RECORDS.string && instance === 1);
  if (id === undefined || target === undefined) return;
  const href = decode(target, "utf-16le").replaceAll("\0", "").trim();
  if (href.length <= MAX_HREF_CHARS && /^[a-z][a-z\d+.-]+:/i.test(href)) links.set(id.data.getUint32(0, true), href);
}

/** Collects texts from the records of a text box, or of the outline of a slide, in which they follow each other. */
export class TextCollector {
  readonly texts: SlideText[] = [];
  readonly #hyperlinks: ReadonlyMap<number, string>;
  readonly #outline: readonly SlideText[];
  readonly #budget: WorkBudget;
  #href: string | undefined;
  #hasReference = false;

  constructor(
    { hyperlinks, budget }: { hyperlinks: ReadonlyMap<number, string>; budget: WorkBudget },
    outline: readonly SlideText[] = [],
  ) {
    this.#hyperlinks = hyperlinks;
    this.#budget = budget;
    this.#outline = outline;
  }

  add(record: PptRecord): void {
    const { type, data } = record;
    const last = this.texts.at(-1);
    if (type === RECORDS.textHeader && data.byteLength >= 4) this.#begin(data.getUint32(0, true));
    else if (type === RECORDS.outlineReference && data.byteLength >= 4) {
      // A text box has one, [MS-PPT].
      if (this.#hasReference) return;
      this.#hasReference = true;
      const text = this.#outline[data.getUint32(0, true)];
      if (text !== undefined) this.texts.push({ ...text, links: [...text.links] });
    } else if (type === RECORDS.textCharacters) (last ?? this.#begin()).text += decode(record, "utf-16le");
    else if (type === RECORDS.textBytes) (last ?? this.#begin()).text += decode(record, "latin1");
    else if (last === undefined) return;
    else if (type === RECORDS.textStyles) last.runs = paragraphRuns(data, last.text.length + 1);
    else if (type === RECORDS.interaction && record.instance === 0) this.#href = this.#addressOf(record);
    else if (type === RECORDS.linkedText && data.byteLength >= 8 && this.#href !== undefined) {
      last.links.push({ from: data.getInt32(0, true), to: data.getInt32(4, true), href: this.#href });
      this.#href = undefined;
    }
  }

  #begin(type: number = TEXT_TYPES.other): SlideText {
    const last = this.texts.at(-1);
    if (last !== undefined && this.texts.length >= MAX_TEXTS) return last;
    const text: SlideText = { type, text: "", runs: [], links: [] };
    this.texts.push(text);
    return text;
  }

  #addressOf(interaction: PptRecord): string | undefined {
    const atom = findRecord(interaction, this.#budget, ({ type }) => type === RECORDS.interactionAtom);
    if (atom === undefined || atom.data.byteLength < 8) return undefined;
    return this.#hyperlinks.get(atom.data.getUint32(4, true));
  }
}

/** Fields of the properties of a paragraph in their order, by their bits in the mask, with their bytes, [MS-PPT] § 2.9.20. */
const BULLET_FLAGS = 0xf;
const FIELDS = [
  [0x80, 2],
  [0x10, 2],
  [0x40, 2],
  [0x20, 4],
  [0x800, 2],
  [0x1000, 2],
  [0x2000, 2],
  [0x4000, 2],
  [0x100, 2],
  [0x400, 2],
  [0x8000, 2],
] as const;
const TAB_STOPS = 0x10_0000;
const LAST_FIELDS = [0x1_0000, 0xe_0000, 0x20_0000] as const;

/** Reads the properties of paragraphs, [MS-PPT] § 2.9.44, as far as they are whole. */
function paragraphRuns(data: DataView, characters: number): ParagraphRun[] {
  const runs: ParagraphRun[] = [];
  let left = characters;
  for (let at = 0; left > 0 && at + 10 <= data.byteLength;) {
    const count = data.getUint32(at, true);
    const level = data.getUint16(at + 4, true);
    const mask = data.getUint32(at + 6, true);
    at += 10;
    let hasBullet: boolean | undefined;
    if ((mask & BULLET_FLAGS) !== 0) {
      if (at + 2 > data.byteLength) break;
      if ((mask & 1) !== 0) hasBullet = (data.getUint16(at, true) & 1) === 1;
      at += 2;
    }
    for (const [bit, bytes] of FIELDS) if ((mask & bit) !== 0) at += bytes;
    if ((mask & TAB_STOPS) !== 0) at += 2 + (at + 2 <= data.byteLength ? data.getUint16(at, true) * 4 : 0);
    for (const bits of LAST_FIELDS) if ((mask & bits) !== 0) at += 2;
    runs.push({ characters: count, level, hasBullet });
    left -= Math.max(1, count);
  }
  return runs;
}

/** Writes the paragraphs of a text as HTML: paragraphs with a bullet as items of lists at their levels, those of outlines unless they have none. */
export function textToHtml({ type, text, runs, links }: SlideText): string {
  const sorted = links.toSorted((a, b) => a.from - b.from);
  let html = "";
  let items: FlatItem[] = [];
  let at = 0;
  let run = 0;
  let runEnd = runs[0]?.characters ?? 0;
  let nextLink = 0;
  for (const line of text.split("\r")) {
    while (run < runs.length - 1 && runEnd <= at) runEnd += runs[++run]?.characters ?? 0;
    while ((sorted[nextLink]?.to ?? Number.POSITIVE_INFINITY) <= at) nextLink++;
    const content = lineToHtml(line, at, sorted.slice(nextLink, nextLink + line.length + 1));
    at += line.length + 1;
    if (content === "" || content === "*") continue;
    const { level = 0, hasBullet = LISTS.has(type) } = runs[run] ?? {};
    if (hasBullet) items.push({ html: content, depth: depthOf(level), isOrdered: false });
    else {
      html += `${listToHtml(items)}<p>${content}</p>`;
      items = [];
    }
  }
  return html + listToHtml(items);
}

/** Writes items as a list, of which the outermost have no level above. */
function listToHtml(items: readonly FlatItem[]): string {
  const least = items.reduce((lowest, { depth }) => Math.min(lowest, depth), Number.POSITIVE_INFINITY);
  return htmlList(items.map((item) => ({ ...item, depth: item.depth - least })));
}

function lineToHtml(line: string, start: number, links: SlideText["links"]): string {
  let html = "";
  let at = 0;
  for (const { from, to, href } of links) {
    const [first, last] = [Math.max(at, from - start), Math.min(line.length, to - start)];
    if (first >= last) continue;
    html += written(line.slice(at, first)) + link(href, written(line.slice(first, last)));
    at = last;
  }
  return (html + written(line.slice(at))).trim();
}

function written(text: string): string {
  return escapeHtml(text).replaceAll("\u000b", "<br>");
}

function decode({ data }: PptRecord, encoding: "utf-16le" | "latin1"): string {
  return new TextDecoder(encoding).decode(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
}
