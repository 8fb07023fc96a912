import { keepShape } from "../../../core/kept-shapes.ts";
export type MarkKind = "strong" | "emphasis" | "deletion";

/** A position in a run's parts where emphasis opens or closes. */
export interface Mark {
  kind: MarkKind;
  isOpening: boolean;
  index: number;
}

interface Pair {
  open: Mark;
  close: Mark;
}

/** Marks that depend on each other are settled in a round or two. */
const MAX_ROUNDS = 8;
/** Represents punctuation of which nothing else is known. */
const ANY_SIGN = ".";
/** Punctuation that is moved out of emphasis at most. */
const MAX_MOVED_CHARS = 200;
const SPACE = /^\s?$/;
const PUNCTUATION = /[\p{P}\p{S}]/u;
/** One sign, with the backslash that escapes it; a lone backslash would escape the mark that it would precede. */
const SIGN = String.raw`(?:\\[!-\/:-@\[-\u0060{-~]|(?!\\)[\p{P}\p{S}])`;
const LEADING_PUNCTUATION = new RegExp(`^(?:${SIGN}\\s?)+`, "u");
const TRAILING_PUNCTUATION = new RegExp(`(?:\\s?${SIGN})+$`, "u");
/** A backslash that escapes the following text. */
const OPEN_ESCAPE = /(?<!\\)\\(?:\\\\)*$/;
const OPENING = /[\p{Ps}\p{Pi}"']/u;
const CLOSING = /[\p{Pe}\p{Pf}"']/u;

/**
 * Fills in the delimiters of emphasis, so that CommonMark reads them as such (its rules of left- and right-flanking
 * runs, § 6.2). Emphasis is `_`, and `*` inside words, where an underscore is literal. Where a delimiter would not work
 * because the emphasised text begins or ends with punctuation, that punctuation moves outside; where nothing helps, the
 * emphasis is dropped and the text stays.
 */
export function settleMarks(parts: string[], marks: readonly Mark[], atoms: ReadonlySet<number>): void {
  const settled = new Run(parts, marks, atoms);
  // Outer pairs first: for them an inner mark is punctuation, whichever it becomes.
  const pairs = pairUp(marks);
  for (const pair of pairs) settled.settle(pair);
  settled.giveUpBroken(pairs);
  settled.finish();
}

function pairUp(marks: readonly Mark[]): Pair[] {
  const pairs: Pair[] = [];
  const open: { mark: Mark; place: number }[] = [];
  for (const mark of marks) {
    if (mark.isOpening) {
      open.push({ mark, place: pairs.length });
      pairs.push({ open: mark, close: mark });
      continue;
    }
    const index = open.findLastIndex((candidate) => candidate.mark.kind === mark.kind);
    const opener = open.splice(index, 1)[0];
    if (opener !== undefined) pairs[opener.place] = { open: opener.mark, close: mark };
  }
  return pairs.filter(({ open: opening, close }) => opening !== close);
}

class Run {
  readonly #parts: string[];
  readonly #atoms: ReadonlySet<number>;
  readonly #marks: readonly Mark[];
  /** The mark at each part that is one. */
  readonly #markAt: (Mark | undefined)[];
  /** The output for each mark, by its index: its delimiter, or nothing where the mark was dropped. */
  readonly #delimiters: (string | undefined)[];

  constructor(parts: string[], marks: readonly Mark[], atoms: ReadonlySet<number>) {
    this.#parts = parts;
    this.#atoms = atoms;
    this.#marks = marks;
    this.#markAt = Array<Mark | undefined>(parts.length).fill(undefined);
    this.#delimiters = Array<string | undefined>(parts.length).fill(undefined);
    for (const mark of marks) this.#markAt[mark.index] = mark;
    keepShape(this);
  }

  settle(pair: Pair): void {
    let delimiter = this.#delimiterFor(pair);
    if (delimiter === "" && this.#movePunctuation(pair.open.index, pair.close.index))
      delimiter = this.#delimiterFor(pair);
    this.#setDelimiter(pair, delimiter);
  }

  /** Where a mark was dropped, its neighbours may have lost the punctuation that they relied on. */
  giveUpBroken(pairs: readonly Pair[]): void {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const broken = pairs.filter((pair) => {
        const delimiter = this.#delimiters[pair.open.index];
        return delimiter !== "" && delimiter !== this.#delimiterFor(pair);
      });
      if (broken.length === 0) return;
      for (const pair of broken) this.#setDelimiter(pair, "");
    }
    for (const pair of pairs) this.#setDelimiter(pair, "");
  }

  /** Writes the delimiters into the parts. */
  finish(): void {
    for (const { index } of this.#marks) this.#parts[index] = this.#textAt(index);
  }

  #setDelimiter({ open, close }: Pair, delimiter: string): void {
    this.#delimiters[open.index] = delimiter;
    this.#delimiters[close.index] = delimiter;
  }

  /** Returns the delimiter that works on both ends; empty when none does. */
  #delimiterFor({ open: { index: open, kind }, close: { index: close } }: Pair): string {
    const outside = { before: this.#characterBefore(open, true), after: this.#characterAfter(close, true) };
    const inside = { first: this.#characterAfter(open, false), last: this.#characterBefore(close, false) };
    if (!isFlanking(outside.before, inside.first) || !isFlanking(outside.after, inside.last)) return "";
    const beside = outside.before + outside.after;
    if (kind === "strong") return beside.includes("*") ? "" : "**";
    if (kind === "deletion") return beside.includes("~") ? "" : "~~";
    if (isApart(outside.before) && isApart(outside.after) && !beside.includes("_")) return "_";
    return (beside + inside.first + inside.last).includes("*") ? "" : "*";
  }

  /** `<b>Note:</b>text` becomes `**Note**:text`. @returns false where there is nothing to move. */
  #movePunctuation(open: number, close: number): boolean {
    const first = open + 1;
    const last = close - 1;
    if ([first, last].some((index) => this.#atoms.has(index) || this.#markAt[index] !== undefined)) return false;
    const head = LEADING_PUNCTUATION.exec(this.#textAt(first).slice(0, MAX_MOVED_CHARS))?.[0] ?? "";
    const tail = TRAILING_PUNCTUATION.exec(this.#textAt(last).slice(-MAX_MOVED_CHARS))?.[0] ?? "";
    const opensWell = isFlanking(this.#characterBefore(open, true), this.#characterAfter(open, false));
    const closesWell = isFlanking(this.#characterAfter(close, true), this.#characterBefore(close, false));
    // Brackets and quotation marks stay together.
    const leading = opensWell && (closesWell || !OPENING.test(head) || !CLOSING.test(tail)) ? "" : head;
    const trailing = closesWell && (leading === "" || !OPENING.test(head) || !CLOSING.test(tail)) ? "" : tail;
    const moved = first === last ? leading.length + trailing.length : Math.max(leading.length, trailing.length);
    if (moved === 0 || moved >= Math.min(this.#textAt(first).length, this.#textAt(last).length)) return false;
    if (OPEN_ESCAPE.test(this.#textAt(last).slice(0, this.#textAt(last).length - trailing.length))) return false;
    this.#parts[open] = leading;
    this.#parts[first] = this.#textAt(first).slice(leading.length);
    this.#parts[close] = trailing;
    this.#parts[last] = this.#textAt(last).slice(0, this.#textAt(last).length - trailing.length);
    return true;
  }

  /** Returns a part as it will be written; text that was moved out of emphasis is put beside the delimiter. */
  #textAt(index: number): string {
    const text = this.#parts[index] ?? "";
    const mark = this.#markAt[index];
    if (mark === undefined) return text;
    const delimiter = this.#delimiters[index] ?? "";
    return mark.isOpening ? text + delimiter : delimiter + text;
  }

  #characterBefore(index: number, withOwn: boolean): string {
    const own = this.#parts[index] ?? "";
    if (withOwn && own !== "") return asText(lastCharacter(own));
    for (let part = index - 1; part >= 0; part--) {
      const text = this.#textAt(part);
      if (text !== "") return this.#asNeighbour(part, lastCharacter(text));
      if (this.#isUndecided(part)) return ANY_SIGN;
    }
    return "";
  }

  #characterAfter(index: number, withOwn: boolean): string {
    const own = this.#parts[index] ?? "";
    if (withOwn && own !== "") return asText(firstCharacter(own));
    for (let part = index + 1; part < this.#parts.length; part++) {
      const text = this.#textAt(part);
      if (text !== "") return this.#asNeighbour(part, firstCharacter(text));
      if (this.#isUndecided(part)) return ANY_SIGN;
    }
    return "";
  }

  /** Reports whether a mark is undecided: until then it counts as punctuation, which every delimiter is. */
  #isUndecided(index: number): boolean {
    return this.#markAt[index] !== undefined && this.#delimiters[index] === undefined;
  }

  #asNeighbour(part: number, character: string): string {
    return this.#markAt[part] !== undefined && this.#parts[part] === "" ? character : asText(character);
  }
}

/**
 * Stars and the like in the page's text are escaped, so that they do not join a delimiter as those of other marks
 * would.
 */
function asText(character: string): string {
  return /[*_~]/.test(character) ? ANY_SIGN : character;
}

/**
 * True where a delimiter between the two works: left-flanking at an opening, right-flanking (mirrored) at a closing.
 */
function isFlanking(outside: string, inside: string): boolean {
  if (SPACE.test(inside)) return false;
  return !PUNCTUATION.test(inside) || isApart(outside);
}

/**
 * True for spaces and punctuation. Readers disagree whether signs outside the basic plane, such as emoji, are the
 * latter.
 */
function isApart(outside: string): boolean {
  return SPACE.test(outside) || (outside.length === 1 && PUNCTUATION.test(outside));
}

function firstCharacter(text: string): string {
  return String.fromCodePoint(text.codePointAt(0) ?? 32);
}

function lastCharacter(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  const isLowSurrogate = last >= 0xdc00 && last <= 0xdfff;
  return text.slice(isLowSurrogate ? -2 : -1);
}
