/** A level of a numbering, ECMA-376 part 1 § 17.9.6. */
export interface Level {
  start: number;
  /** Name of the form of its number: `decimal`, `upperRoman`, `bullet` and others. */
  format: string;
  /** Its text, in which `%1` stands for the number of the first level, and so on. */
  text: string;
  /** The style whose paragraphs are of this level without saying so. */
  style: string | undefined;
  /** Numbers of outer levels are written in digits, whatever their form. */
  isLegal: boolean;
}

export interface Numbering {
  /** Levels of a numbering by its id. */
  levels: Map<string, Map<number, Level>>;
  /** Numbers go on in all instances of one abstract numbering. */
  abstractIds: Map<string, string>;
  /** Levels at which an instance begins anew, each with its first number. */
  restarts: Map<string, Map<number, number>>;
}

/** A style of paragraphs with what it says of numbers and headings. */
export interface Style {
  numId: string | undefined;
  level: number | undefined;
  isHeading: boolean;
}

type OwnStyle = Style & { basedOn: string | undefined };

/** A style is based on at most this many others. */
const MAX_DEPTH = 20;
export const MAX_LEVEL = 8;
/** Characters of the text of a level; it is written in front of each of its paragraphs. */
const MAX_LEVEL_TEXT = 100;

/** Reads the numberings of `word/numbering.xml`, ECMA-376 part 1 § 17.9, and those that styles of numberings name. */
export function readNumbering(xml: string, styles: WordStyles): Numbering {
  const abstracts = new Map<string, Map<number, Level>>();
  const linked = new Map<string, string>();
  for (const part of xml.split("<w:abstractNum ").slice(1)) {
    const id = /^[^<>]*?w:abstractNumId="([^"<>]*)"/.exec(part)?.[1];
    if (id === undefined) continue;
    abstracts.set(id, readLevels(part.split("</w:abstractNum>", 1)[0] ?? ""));
    const style = valueOf(part, "numStyleLink");
    if (style !== undefined) linked.set(id, style);
  }
  const numbering: Numbering = { levels: new Map(), abstractIds: new Map(), restarts: new Map() };
  for (const part of xml.split("<w:num ").slice(1)) {
    const id = /^[^<>]*?w:numId="([^"<>]*)"/.exec(part)?.[1];
    const abstractId = valueOf(part, "abstractNumId");
    if (id === undefined || abstractId === undefined) continue;
    const levels = new Map(abstracts.get(abstractId) ?? []);
    const restarts = new Map<number, number>();
    for (const override of part.split("<w:lvlOverride ").slice(1, MAX_LEVEL + 2)) {
      const at = Number(/^[^<>]*?w:ilvl="(\d)"/.exec(override)?.[1] ?? Number.NaN);
      const start = numberOf(valueOf(override, "startOverride"));
      if (!Number.isNaN(at) && start !== undefined) restarts.set(at, start);
      for (const [level, own] of readLevels(override)) levels.set(level, own);
    }
    numbering.levels.set(id, levels);
    numbering.abstractIds.set(id, abstractId);
    numbering.restarts.set(id, restarts);
  }
  for (const [id, abstractId] of numbering.abstractIds) {
    const other = styles.of(linked.get(abstractId)).numId;
    const levels = other === undefined ? undefined : numbering.levels.get(other);
    if (levels !== undefined && numbering.levels.get(id)?.size === 0) numbering.levels.set(id, levels);
  }
  return numbering;
}

function readLevels(xml: string): Map<number, Level> {
  const levels = new Map<number, Level>();
  for (const level of xml.split("<w:lvl ").slice(1, MAX_LEVEL + 2)) {
    const at = Number(/^[^<>]*?w:ilvl="(\d)"/.exec(level)?.[1] ?? Number.NaN);
    if (Number.isNaN(at)) continue;
    levels.set(at, {
      start: numberOf(valueOf(level, "start")) ?? 1,
      format: valueOf(level, "numFmt") ?? "decimal",
      text: levelText(valueOf(level, "lvlText") ?? ""),
      style: valueOf(level, "pStyle"),
      isLegal: level.includes("<w:isLgl/>"),
    });
  }
  return levels;
}

/** Returns the start of the text of a level, which ends behind no part of a reference to a character. */
function levelText(text: string): string {
  return text.length <= MAX_LEVEL_TEXT ? text : text.slice(0, MAX_LEVEL_TEXT).replace(/&[^;]*$/, "");
}

/** Styles of a Word document by their id. */
export class WordStyles {
  readonly #styles = new Map<string, OwnStyle>();

  constructor(xml: string) {
    for (const part of xml.split("<w:style ").slice(1)) {
      const id = /^[^<>]*?w:styleId="([^"<>]*)"/.exec(part)?.[1];
      if (id === undefined) continue;
      this.#styles.set(id, {
        basedOn: valueOf(part, "basedOn"),
        numId: valueOf(part, "numId"),
        level: numberOf(valueOf(part, "ilvl")),
        isHeading: HEADING.test(valueOf(part, "name") ?? ""),
      });
    }
  }

  /** Returns a style with what it takes over from those that it is based on. */
  of(id: string | undefined): Style {
    const own = this.#styles.get(id ?? "");
    const found = { numId: own?.numId, level: own?.level, isHeading: own?.isHeading ?? false };
    let next = own?.basedOn;
    for (let depth = 0; depth < MAX_DEPTH && next !== undefined && found.numId === undefined; depth++) {
      const style = this.#styles.get(next);
      found.numId = style?.numId;
      found.level ??= style?.level;
      next = style?.basedOn;
    }
    return found;
  }
}

/** Names of the styles of headings, which are the same in all languages of Word. */
const HEADING = /^heading [1-6]$/i;
const NAME = /<w:name\s[^<>]*?w:val="([^"<>]*)"/;

/**
 * Names styles that are based on one of a heading like it, since readers know headings by the names of their styles. Styles
 * with a meaning of their own keep their name.
 */
export function withHeadingNames(styles: string, meanings: ReadonlySet<string>): string {
  const parts = styles.split("<w:style ");
  const byId = new Map<string, { name: string; basedOn: string | undefined }>();
  for (const part of parts.slice(1)) {
    const id = /^[^<>]*?w:styleId="([^"<>]*)"/.exec(part)?.[1];
    if (id !== undefined) byId.set(id, { name: NAME.exec(part)?.[1] ?? "", basedOn: valueOf(part, "basedOn") });
  }
  return parts
    .map((part, at) => {
      const own = NAME.exec(part)?.[1];
      if (
        at === 0 ||
        own === undefined ||
        meanings.has(own.toLowerCase()) ||
        /w:type="(?!paragraph)/.test(part.slice(0, 200))
      )
        return part;
      let next = valueOf(part, "basedOn");
      for (let depth = 0; depth < MAX_DEPTH && next !== undefined; depth++) {
        const style = byId.get(next);
        if (style !== undefined && HEADING.test(style.name)) return part.replace(NAME, `<w:name w:val="${style.name}"`);
        if (meanings.has(style?.name.toLowerCase() ?? "")) return part;
        next = style?.basedOn;
      }
      return part;
    })
    .join("<w:style ");
}

/** Returns the value of the first element of a name. */
export function valueOf(xml: string, name: string): string | undefined {
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

/** Writes a number in one of the forms of Word; in digits where the form is not known. */
export function formatted(number: number, format: string): string {
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
    case "chineseCounting":
    case "chineseCountingThousand":
    case "taiwaneseCountingThousand":
    case "japaneseCounting":
      return chinese(number);
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

/** Returns a number below 100 as it is counted in Chinese and Japanese, a larger one in digits. */
function chinese(number: number): string {
  if (number > 99) return String(number);
  const [tens, ones] = [Math.floor(number / 10), number % 10];
  const digit = (value: number): string => "一二三四五六七八九"[value - 1] ?? "";
  return `${tens > 1 ? digit(tens) : ""}${tens > 0 ? "十" : ""}${digit(ones)}`;
}
