import type { WorkBudget } from "../../../core/work-budget.ts";
import { formatted, type Level, MAX_LEVEL, readNumbering, valueOf, WordStyles } from "./word-numbering.ts";

/** Characters of the properties of a paragraph; longer ones have no number. */
const PARAGRAPH = /<w:p(?: [^<>]*)?>\s*<w:pPr(?: [^<>]*)?>((?:(?!<\/w:pPr>)[\s\S]){0,3000})<\/w:pPr>/g;
/** Each start is read up to the next one at most, so that many starts without an end take linear time. */
const NUMBER_PROPERTIES = /<w:numPr(?: [^<>]*)?>(?:(?!<\/?w:numPr[ >])[\s\S])*<\/w:numPr>|<w:numPr(?: [^<>]*)?\/>/g;
/** Text, a table, a picture or the end of a cell: any of them between two items ends a list. */
const INTERRUPTION = /<w:t[ >]|<w:tbl[ >]|<\/w:tc>|<w:drawing[ >]|<w:pict[ >]/;
/** Ids of two numberings of our own, of which every level is ordered, or has bullets. */
const ORDERED = "orderedList";
const BULLETED = "bulletedList";
/** The id that takes a paragraph out of the list of its style. */
const NO_LIST = "0";
/** Deeper items of a list are written at this level: mammoth knows five. */
const MAX_NESTING = 4;
/** Characters of all numbers: they repeat the text of their level, and may have many letters. */
const MAX_LABEL_CHARACTERS = 4_000_000;
/** Marks around the number of an item, which becomes that of the list in HTML. */
const OPEN = "\uE004";
const CLOSE = "\uE005";

/**
 * Writes the numbers of headings and of lists into the text of a Word document, as Word computes them from the numbering of the
 * paragraph or of its style (ECMA-376 part 1 § 17.9). Items that plain numbers count are marked for `withListNumbers`;
 * others, such as 1.1. or (a), have their number in their text. The first item after other text is at the outermost level.
 * Without budget the document stays as it is.
 */
export function withNumbers(
  document: string,
  parts: { numbering: string; styles: string },
  budget: WorkBudget,
): string {
  if (!parts.numbering.includes("<w:abstractNum")) return document;
  if (!budget.take((document.length + parts.numbering.length + parts.styles.length) / 64)) return document;
  const styles = new WordStyles(parts.styles);
  const numbering = readNumbering(parts.numbering, styles);
  const counters = new Map<string, (number | undefined)[]>();
  const restarted = new Set<string>();
  const left = budget.within({ bytes: MAX_LABEL_CHARACTERS });
  let last: { end: number; base: number } | undefined;
  return document.replace(PARAGRAPH, (whole, properties: string, index: number) => {
    const styleId = valueOf(properties, "pStyle");
    const style = styles.of(styleId);
    const numId = valueOf(properties, "numId") ?? style.numId;
    const levels = numId === undefined ? undefined : numbering.levels.get(numId);
    if (numId === undefined || levels === undefined) return whole;
    const level = Number(valueOf(properties, "ilvl") ?? levelOfStyle(levels, styleId) ?? style.level ?? 0);
    if (!Number.isInteger(level) || level < 0 || level > MAX_LEVEL) return whole;
    const abstractId = numbering.abstractIds.get(numId) ?? numId;
    const counted = counters.get(abstractId) ?? [];
    const restarts = numbering.restarts.get(numId);
    if (!restarted.has(numId)) for (const at of restarts?.keys() ?? []) counted[at] = undefined;
    restarted.add(numId);
    for (let at = 0; at <= level; at++)
      counted[at] ??= (restarts?.get(at) ?? levels.get(at)?.start ?? 1) - (at === level ? 1 : 0);
    counted[level] = (counted[level] ?? 0) + 1;
    counted.length = level + 1;
    counters.set(abstractId, counted);
    const own = levels.get(level);
    if (own === undefined) return whole;
    const label = labelOf(own, counted, levels);
    if (!left.takeBytes(label.length)) {
      budget.cut("numbers of paragraphs");
      return whole;
    }
    if (style.isHeading) return own.format === "bullet" || label === "" ? whole : whole + textRun(`${label} `);
    if (own.format === "none" && label === "") return withNumbering(whole, NO_LIST);
    const isContinued = last !== undefined && !INTERRUPTION.test(afterParagraph(document.slice(last.end, index)));
    const base = isContinued ? Math.min(last?.base ?? level, level) : level;
    last = { end: index + whole.length, base };
    return asItem(whole, { label, level: level - base, isBullet: own.format === "bullet" });
  });
}

function levelOfStyle(levels: ReadonlyMap<number, Level>, styleId: string | undefined): number | undefined {
  if (styleId === undefined) return undefined;
  for (const [at, { style }] of levels) if (style === styleId) return at;
  return undefined;
}

/** Returns the number of a paragraph as its level writes it; empty for a bullet. */
function labelOf(own: Level, counted: readonly (number | undefined)[], levels: ReadonlyMap<number, Level>): string {
  if (own.format === "bullet") return "";
  return own.text
    .replace(/%([1-9])/g, (_, digit: string) => {
      const at = Number(digit) - 1;
      const format = levels.get(at)?.format ?? "decimal";
      return formatted(counted[at] ?? 1, own.isLegal ? "decimal" : format);
    })
    .trim();
}

/** Makes a paragraph an item of one of our own lists, with its number in it. */
function asItem(paragraph: string, item: { label: string; level: number; isBullet: boolean }): string {
  const plain = /^(\d{1,9})[.)]?$/.exec(item.label)?.[1];
  const list = !item.isBullet && plain !== undefined ? ORDERED : BULLETED;
  const level = Math.min(MAX_NESTING, item.level);
  const start = withNumbering(paragraph, list, level);
  if (plain !== undefined && !item.isBullet) return start + textRun(OPEN + plain + CLOSE);
  return item.label === "" ? start : start + textRun(`${item.label} `);
}

function withNumbering(paragraph: string, numId: string, level = 0): string {
  const properties = `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${numId}"/></w:numPr>`;
  return paragraph.replace(NUMBER_PROPERTIES, "").replace(/<\/w:pPr>$/, `${properties}</w:pPr>`);
}

function textRun(text: string): string {
  return `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
}

function afterParagraph(text: string): string {
  const end = text.indexOf("</w:p>");
  return end === -1 ? text : text.slice(end);
}

/** Adds the numberings of the lists that `withNumbers` writes to `word/numbering.xml`. */
export function withOwnNumberings(numbering: string): string {
  const own = [ORDERED, BULLETED].map((id) => {
    const format = id === ORDERED ? "decimal" : "bullet";
    const levels = Array.from(
      { length: MAX_NESTING + 1 },
      (_, at) => `<w:lvl w:ilvl="${at}"><w:numFmt w:val="${format}"/></w:lvl>`,
    );
    return `<w:abstractNum w:abstractNumId="${id}">${levels.join("")}</w:abstractNum><w:num w:numId="${id}"><w:abstractNumId w:val="${id}"/></w:num>`;
  });
  return numbering.replace(/<\/w:numbering>\s*$/, () => `${own.join("")}</w:numbering>`);
}

const LIST_TAGS = /<(\/?)(ol|ul)>|<li>(?:\uE004(\d{1,9})\uE005)?|\uE004(\d{1,9})\uE005/g;

/**
 * Gives lists and their items in HTML the numbers that `withNumbers` has marked: a list starts with another one than 1, an
 * item skips some, and a smaller number starts a list of its own.
 */
export function withListNumbers(html: string): string {
  const open: { tag: string; next: number }[] = [];
  return html.replace(LIST_TAGS, (tag, slash?: string, name?: string, item?: string, stray?: string) => {
    if (stray !== undefined) return `${stray}. `;
    if (name !== undefined) {
      if (slash === "/") open.pop();
      else open.push({ tag: name, next: 1 });
      return tag;
    }
    const list = open.at(-1);
    if (list?.tag !== "ol" || item === undefined) return item === undefined ? "<li>" : `<li>${item}. `;
    const number = Number(item);
    const isSmaller = number < list.next && list.next > 1;
    const isNext = number === list.next;
    list.next = number + 1;
    if (isNext) return "<li>";
    return isSmaller ? `</ol><ol start="${number}"><li>` : `<li value="${number}">`;
  });
}
