import type { WorkBudget } from "../../../core/work-budget.ts";
import type { Block, ListItem, TypeScale } from "./block.ts";
import { isCentredTitle } from "./headings/centred-title.ts";
import { formulaOf } from "./formula.ts";
import { letteredItems } from "./lists/lettered-items.ts";
import { isTableOfContentsLine, type ListMarker, listMarker, startsWithBullet } from "./lists/list-marker.ts";
import { findTable } from "./tables/find-table.ts";
import type { RulingLine } from "./pages/ruling-lines.ts";
import { ruledTables } from "./tables/ruled-tables.ts";
import type { Line } from "./text-run.ts";
import { isLarger, roundSize } from "./type-scale.ts";

/** A line further below the last than this, in multiples of the usual distance, begins a new block. */
const PARAGRAPH_GAP = 1.3;
const MAX_HEADING_LINES = 4;
const MAX_BOLD_HEADING_CHARACTERS = 120;
const MAX_ITALIC_HEADING_CHARACTERS = 80;

/** Ends of sentences and of what introduces something, in scripts with signs of their own. */
const OTHER_ENDS = "。！？：．؟।॥۔";
const SENTENCE_END = new RegExp(`[.!?:${OTHER_ENDS}]$`);
const INTRO_END = new RegExp(`[.:;!?；؛${OTHER_ENDS}]$`);
/** A quote or a bracket may end behind a sentence. */
const PARAGRAPH_END = new RegExp(`[.!?:”"’')\\]」』）】；${OTHER_ENDS}]$`);
/** Letters of scripts without capitals begin a sentence too. */
const PARAGRAPH_START = /^[\p{Lu}\p{Lo}\p{N}“"(「『（【《]/u;

interface Region {
  lines: Line[];
  /** Lines that begin an item with a letter. */
  lettered: ReadonlySet<Line>;
  right: number;
  width: number;
  /** Usual distance of baselines, in multiples of the font size. */
  leading: number;
}

/**
 * Groups the lines of one region into headings, paragraphs, lists, tables and code. Without budget there are no tables.
 */
export function layoutBlocks(
  lines: Line[],
  scale: TypeScale,
  budget: WorkBudget,
  { rules = [], hasTables = true }: { rules?: readonly RulingLine[]; hasTables?: boolean } = {},
): Block[] {
  const left = Math.min(...lines.map((line) => line.left));
  const right = Math.max(...lines.map((line) => line.right));
  const lettered = letteredItems(lines);
  const region: Region = { lines, lettered, right, width: right - left, leading: usualLeading(lines) };
  const ruled = ruledTables(lines, rules, budget);
  const tableAt = (at: number): ReturnType<typeof findTable> => {
    const line = lines[at];
    const isItem = line !== undefined && line.segments.length === 2 && lettered.has(line);
    return hasTables && !isItem ? findTable(lines, at, budget, rules) : undefined;
  };
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length;) {
    const table = ruled.get(at) ?? tableAt(at);
    if (table !== undefined) {
      blocks.push(table);
      at += table.rows.flat().length;
      continue;
    }
    const isTable = (place: number): boolean => ruled.has(place) || tableAt(place) !== undefined;
    const group = takeGroup(region, at, isTable);
    at += group.length;
    const next = lines[at];
    const isCentred = isCentredTitle(group, { region, above: lines[at - group.length - 1], next });
    const isTitled = isCentred || isTitleOf(group, next, region);
    const sizeBelow = sizeOfProse(next, { region, title: group[0] });
    addGroup(blocks, group, { scale, isTitled, sizeBelow, marker: markerOf(group[0], region) });
  }
  return blocks;
}

function usualLeading(lines: Line[]): number {
  const ratios: number[] = [];
  for (const [at, line] of lines.entries()) {
    const next = lines[at + 1];
    if (next === undefined || Math.abs(next.size - line.size) > 0.5) continue;
    const ratio = (next.baseline - line.baseline) / line.size;
    if (ratio > 0.8 && ratio < 2.2) ratios.push(ratio);
  }
  return ratios.toSorted((a, b) => a - b)[ratios.length >> 1] ?? 1.3;
}

/** The bullet, number or letter at the start of a line. A letter stays in the text of its item. */
function markerOf(line: Line | undefined, { lettered }: Region): ListMarker | undefined {
  if (line === undefined) return undefined;
  return listMarker(line.text) ?? (lettered.has(line) ? { number: undefined, length: 0 } : undefined);
}

/**
 * Returns the lines that belong together from `start`: a paragraph, a heading, an item of a list, a stretch of code.
 */
function takeGroup(region: Region, start: number, isTable: (at: number) => boolean): Line[] {
  const group: Line[] = [];
  for (let at = start; at < region.lines.length; at++) {
    const line = region.lines[at];
    if (line === undefined) break;
    if (group.length > 0 && (beginsBlock(group, line, region) || isTable(at))) break;
    group.push(line);
  }
  return group;
}

function beginsBlock(group: Line[], line: Line, region: Region): boolean {
  const first = group[0];
  const last = group.at(-1);
  if (first === undefined || last === undefined) return true;
  if (Math.abs(roundSize(line.size) - roundSize(last.size)) > last.size * 0.08) return true;
  if (line.isSmallCaps !== last.isSmallCaps) return true;
  if (line.isMonospaced !== last.isMonospaced) return true;
  const distance = line.baseline - last.baseline;
  const isCode = line.isMonospaced && last.isMonospaced && !startsWithBullet(line.text);
  if (distance <= 0 || distance > region.leading * line.size * (isCode ? 2.4 : PARAGRAPH_GAP)) return true;
  if (isCode) return false;
  if (line.isBold !== last.isBold && (group.every((other) => other.isBold) || line.isBold))
    return isHeadingBreak(group, line);
  if (isTitleOf(group, line, region)) return true;
  if (markerOf(line, region) !== undefined && isItemStart(group, line, region)) return true;
  if (isTableOfContentsLine(last.text)) return true;
  return isNewParagraph(group, line, region);
}

/**
 * Reports whether a change of weight begins a block: bold words at the start of a line are emphasis; a line that is
 * bold from end to end, above text that is not, is a heading.
 */
function isHeadingBreak(group: Line[], line: Line): boolean {
  const text = group.at(-1)?.text ?? "";
  return line.isBold ? SENTENCE_END.test(text) : !/[,;，、；،؛]$/.test(text);
}

/**
 * Reports whether a group is the title of the text below it: a short line in italics, without the end of a sentence, directly
 * above text that fills its lines and is not in italics.
 */
function isTitleOf(group: readonly Line[], next: Line | undefined, region: Region): boolean {
  const [line] = group;
  if (line === undefined || next === undefined || group.length > 1) return false;
  if (!line.isItalic || next.isItalic || line.segments.length > 1) return false;
  const distance = next.baseline - line.baseline;
  return (
    line.right < region.right - region.width * 0.25 &&
    line.text.length <= MAX_ITALIC_HEADING_CHARACTERS &&
    !/[.,;:!?]$/.test(line.text) &&
    /^[\p{Lu}\p{N}]/u.test(line.text) &&
    /^[\p{Lu}\p{N}“"‘(]/u.test(next.text) &&
    Math.abs(next.left - line.left) <= line.size * 2 &&
    next.right - next.left > region.width * 0.7 &&
    distance > 0 &&
    distance <= region.leading * line.size * PARAGRAPH_GAP
  );
}

/**
 * Reports whether a line begins an item. A number may also begin a line of a sentence: items follow items, an end or an
 * intro.
 */
function isItemStart(group: Line[], line: Line, region: Region): boolean {
  const first = group[0];
  const last = group.at(-1);
  if (first === undefined || last === undefined) return true;
  if (markerOf(first, region) !== undefined) return line.left <= first.left + line.size * 4;
  if (INTRO_END.test(last.text)) return true;
  if (region.lettered.has(line)) return line.left > last.left + line.size * 0.5;
  return listMarker(line.text)?.number === undefined;
}

function isNewParagraph(group: Line[], line: Line, region: Region): boolean {
  const first = group[0];
  const last = group.at(-1);
  if (first === undefined || last === undefined) return true;
  const indent = line.left - last.left;
  const em = line.size;
  const lastIsShort = last.right < region.right - region.width * 0.15;
  const lastEndsSentence = PARAGRAPH_END.test(last.text);
  if (markerOf(first, region) !== undefined)
    return line.left < first.left + em * 0.3 && (group.length > 1 || lastIsShort);
  const isIndented = indent > em * 0.8 && indent < em * 4;
  if (isIndented && (lastEndsSentence || lastIsShort) && group.length > 1) return true;
  return lastIsShort && lastEndsSentence && PARAGRAPH_START.test(line.text);
}

/** Returns the size of a line that fills its region below a title in its middle, as in an abstract; infinity for others. */
function sizeOfProse(line: Line | undefined, { region, title }: { region: Region; title: Line | undefined }): number {
  if (line === undefined || title === undefined || line.segments.length > 1) return Infinity;
  const isCentred = Math.abs(line.left + line.right - title.left - title.right) < title.size * 3;
  return isCentred && line.right - line.left > region.width * 0.6 ? roundSize(line.size) : Infinity;
}

function addGroup(
  blocks: Block[],
  group: Line[],
  {
    scale,
    isTitled,
    sizeBelow,
    marker,
  }: { scale: TypeScale; isTitled: boolean; sizeBelow: number; marker: ListMarker | undefined },
): void {
  const first = group[0];
  if (first === undefined) return;
  if (group.every((line) => line.isMonospaced) && group.length > 1 && !startsWithBullet(first.text)) {
    blocks.push({ type: "code", lines: group });
    return;
  }
  const level =
    headingLevel(group, scale, sizeBelow) ?? (isTitled ? Math.min(6, scale.headingSizes.length + 2) : undefined);
  const latex = formulaOf(group);
  if (latex !== undefined) blocks.push({ type: "paragraph", lines: group, latex });
  else if (level !== undefined) blocks.push({ type: "heading", level, lines: group });
  else if (marker !== undefined)
    addItem(blocks, { depth: 0, number: marker.number, markerLength: marker.length, lines: group });
  else if (isTableOfContentsLine(first.text))
    addItem(blocks, { depth: 0, number: undefined, markerLength: 0, lines: group });
  else blocks.push({ type: "paragraph", lines: group });
}

function headingLevel(group: Line[], scale: TypeScale, sizeBelow: number): number | undefined {
  const first = group[0];
  const text = group.map((line) => line.text).join(" ");
  if (first === undefined || group.length > MAX_HEADING_LINES || !/\p{L}/u.test(text)) return undefined;
  if (group.some((line) => isTableOfContentsLine(line.text)) || isLargeParagraph(group, text)) return undefined;
  if (isLarger(first, scale.bodySize)) {
    const at = scale.headingSizes.indexOf(roundSize(first.size));
    return (at === -1 ? scale.headingSizes.length : at) + 1;
  }
  const isBoldLine =
    group.every((line) => line.isBold) && text.length <= MAX_BOLD_HEADING_CHARACTERS && group.length <= 2;
  // An abstract is smaller than the text, and so is the title above it.
  const size = Math.min(scale.bodySize, group.length === 1 ? sizeBelow : Infinity);
  if (!isBoldLine || /[.,;]$/.test(text) || roundSize(first.size) < size) return undefined;
  const isListItem = listMarker(first.text)?.number === undefined && listMarker(first.text) !== undefined;
  return isListItem ? undefined : Math.min(6, scale.headingSizes.length + 1);
}

/** Reports whether large text is a paragraph, as on a slide or in a lead: sentences over several lines. */
function isLargeParagraph(group: readonly Line[], text: string): boolean {
  const words = text.split(/\s+/).length;
  return words > 30 || (group.length > 1 && words > 12 && /[.!;:]["”’)]?$/u.test(text));
}

/** The items of a list that a next one may be compared with, by their left edges: later ones are further to the right. */
const openItems = new WeakMap<Block, ListItem[]>();

/** Adds an item to the list before it; an indent makes it a child of the last item that is not further to the right. */
function addItem(blocks: Block[], item: ListItem): void {
  const last = blocks.at(-1);
  const list = last?.type === "list" ? last : { type: "list" as const, items: [] };
  if (list !== last) blocks.push(list);
  const open = openItems.get(list) ?? [];
  openItems.set(list, open);
  const left = leftOf(item);
  const em = item.lines[0]?.size ?? 10;
  const level = open.findLast((other) => leftOf(other) <= left + em * 0.5);
  const isDeeper = level !== undefined && left - leftOf(level) > em * 0.7;
  const added = { ...item, depth: level === undefined ? 0 : Math.min(5, level.depth + (isDeeper ? 1 : 0)) };
  list.items.push(added);
  while (open.length > 0 && leftOf(open.at(-1)) >= left) open.pop();
  open.push(added);
}

function leftOf(item: ListItem | undefined): number {
  return item?.lines[0]?.left ?? 0;
}
