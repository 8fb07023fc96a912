import type { WorkBudget } from "../../../core/work-budget.ts";

/** A level of a numbering, ECMA-376 part 1 § 17.9.6. */
interface Level {
  start: number;
  /** Name of the form of its number: `decimal`, `upperRoman`, `bullet` and others. */
  format: string;
  /** Its text, in which `%1` stands for the number of the first level, and so on. */
  text: string;
}

interface Numbering {
  /** Levels of a numbering by its id. */
  levels: Map<string, Map<number, Level>>;
  /** Numbers go on in all instances of one abstract numbering. */
  abstractIds: Map<string, string>;
}

/** A style of paragraphs with what it says of numbers and headings. */
interface Style {
  basedOn: string | undefined;
  numId: string | undefined;
  level: number | undefined;
  isHeading: boolean;
}

/** A style is based on at most this many others. */
const MAX_DEPTH = 20;
const MAX_LEVEL = 8;
/** Characters of the properties of a paragraph; longer ones have no number. */
const PARAGRAPH = /<w:p(?: [^<>]*)?>\s*<w:pPr(?: [^<>]*)?>((?:(?!<\/w:pPr>)[\s\S]){0,3000})<\/w:pPr>/g;

/**
 * Writes the numbers of headings into the text of a Word document, where Word computes them from the numbering of the paragraph
 * or of its style (ECMA-376 part 1 § 17.9). Numbers of lists are left to the reader of lists, but count. Each part is XML;
 * without budget the text stays as it is.
 */
export function withHeadingNumbers(
  document: string,
  parts: { numbering: string; styles: string },
  budget: WorkBudget,
): string {
  if (!parts.numbering.includes("<w:abstractNum")) return document;
  if (!budget.take((document.length + parts.numbering.length + parts.styles.length) / 64)) return document;
  const numbering = readNumbering(parts.numbering);
  const styles = readStyles(parts.styles);
  const counters = new Map<string, number[]>();
  return document.replace(PARAGRAPH, (whole, properties: string) => {
    const style = styleOf(valueOf(properties, "pStyle"), styles);
    const numId = valueOf(properties, "numId") ?? style.numId;
    const level = Number(valueOf(properties, "ilvl") ?? style.level ?? 0);
    const levels = numId === undefined ? undefined : numbering.levels.get(numId);
    if (numId === undefined || levels === undefined || !(level >= 0 && level <= MAX_LEVEL)) return whole;
    const abstractId = numbering.abstractIds.get(numId) ?? numId;
    const counted = counters.get(abstractId) ?? [];
    for (let at = 0; at <= level; at++) counted[at] ??= (levels.get(at)?.start ?? 1) - (at === level ? 1 : 0);
    counted[level] = (counted[level] ?? 0) + 1;
    counted.length = level + 1;
    counters.set(abstractId, counted);
    const own = levels.get(level);
    if (!style.isHeading || own === undefined || own.format === "bullet" || own.format === "none") return whole;
    const number = own.text.replace(/%([1-9])/g, (_, digit: string) => {
      const at = Number(digit) - 1;
      return formatted(counted[at] ?? 1, levels.get(at)?.format ?? "decimal");
    });
    return number.trim() === "" ? whole : `${whole}<w:r><w:t xml:space="preserve">${number} </w:t></w:r>`;
  });
}

function readNumbering(xml: string): Numbering {
  const abstracts = new Map<string, Map<number, Level>>();
  for (const part of xml.split("<w:abstractNum ").slice(1)) {
    const id = /^[^<>]*?w:abstractNumId="([^"<>]*)"/.exec(part)?.[1];
    const levels = new Map<number, Level>();
    for (const level of part.split("<w:lvl ").slice(1, MAX_LEVEL + 2)) {
      const at = Number(/^[^<>]*?w:ilvl="(\d)"/.exec(level)?.[1] ?? Number.NaN);
      if (Number.isNaN(at)) continue;
      levels.set(at, {
        start: numberOf(valueOf(level, "start")) ?? 1,
        format: valueOf(level, "numFmt") ?? "decimal",
        text: valueOf(level, "lvlText") ?? "",
      });
    }
    if (id !== undefined) abstracts.set(id, levels);
  }
  const numbering: Numbering = { levels: new Map(), abstractIds: new Map() };
  for (const part of xml.split("<w:num ").slice(1)) {
    const id = /^[^<>]*?w:numId="([^"<>]*)"/.exec(part)?.[1];
    const abstractId = valueOf(part, "abstractNumId");
    if (id === undefined || abstractId === undefined) continue;
    numbering.levels.set(id, abstracts.get(abstractId) ?? new Map());
    numbering.abstractIds.set(id, abstractId);
  }
  return numbering;
}

function readStyles(xml: string): Map<string, Style> {
  const styles = new Map<string, Style>();
  for (const part of xml.split("<w:style ").slice(1)) {
    const id = /^[^<>]*?w:styleId="([^"<>]*)"/.exec(part)?.[1];
    if (id === undefined) continue;
    styles.set(id, {
      basedOn: valueOf(part, "basedOn"),
      numId: valueOf(part, "numId"),
      level: numberOf(valueOf(part, "ilvl")),
      isHeading: /^heading [1-6]$/i.test(valueOf(part, "name") ?? ""),
    });
  }
  return styles;
}

/** Returns a style with what it takes over from those that it is based on. */
function styleOf(id: string | undefined, styles: ReadonlyMap<string, Style>): Omit<Style, "basedOn"> {
  const own = styles.get(id ?? "");
  const found = { numId: own?.numId, level: own?.level, isHeading: own?.isHeading ?? false };
  let next = own?.basedOn;
  for (let depth = 0; depth < MAX_DEPTH && next !== undefined && found.numId === undefined; depth++) {
    const style = styles.get(next);
    found.numId = style?.numId;
    found.level ??= style?.level;
    next = style?.basedOn;
  }
  return found;
}

/** Returns the value of the first element of a name. */
function valueOf(xml: string, name: string): string | undefined {
  return new RegExp(`<w:${name}\\s[^<>]*?w:val="([^"<>]*)"`).exec(xml)?.[1];
}

function numberOf(text: string | undefined): number | undefined {
  const number = Number(text ?? Number.NaN);
  return Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

const ROMAN: readonly (readonly [number, string])[] = [
  [1000, "M"], [900, "CM"], [500, "D"], [400, "CD"], [100, "C"], [90, "XC"], [50, "L"], [40, "XL"], [10, "X"], [9, "IX"], [5, "V"],
  [4, "IV"], [1, "I"],
]; // prettier-ignore
/** Larger numbers are written in digits. */
const MAX_LETTERED = 3_999;

function formatted(number: number, format: string): string {
  if (number < 1 || number > MAX_LETTERED) return String(number);
  switch (format) {
    case "upperRoman":
      return roman(number);
    case "lowerRoman":
      return roman(number).toLowerCase();
    case "upperLetter":
      return letters(number);
    case "lowerLetter":
      return letters(number).toLowerCase();
    case "decimalZero":
      return String(number).padStart(2, "0");
    default:
      return String(number);
  }
}

function roman(number: number): string {
  let [left, text] = [number, ""];
  for (const [value, sign] of ROMAN) {
    for (; left >= value; left -= value) text += sign;
  }
  return text;
}

/** Returns A to Z, then AA to ZZ, AAA and so on, as Word counts. */
function letters(number: number): string {
  return String.fromCharCode(65 + ((number - 1) % 26)).repeat(Math.ceil(number / 26));
}
