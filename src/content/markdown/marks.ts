export type MarkKind = "strong" | "emphasis" | "deletion";

/** A place in a run's parts where emphasis opens or closes. */
export interface Mark {
  kind: MarkKind;
  isOpening: boolean;
  index: number;
}

interface Pair {
  open: Mark;
  close: Mark;
}

const SPACE = /^\s?$/;
const PUNCTUATION = /[\p{P}\p{S}]/u;
const LEADING_PUNCTUATION = /^(?:\\?[\p{P}\p{S}]\s?)+/u;
const TRAILING_PUNCTUATION = /(?:\s?\\?[\p{P}\p{S}])+$/u;
const OPENING = /[\p{Ps}\p{Pi}"']/u;
const CLOSING = /[\p{Pe}\p{Pf}"']/u;

/**
 * Fills in the delimiters of emphasis, so that CommonMark reads them as such (its rules of left- and right-flanking runs,
 * § 6.2). Emphasis is `_`, and `*` inside words, where an underscore means itself. Where a delimiter would not work because
 * the emphasised text begins or ends with punctuation, that punctuation moves outside; where nothing helps, the emphasis
 * is given up and the text stays.
 */
export function settleMarks(parts: string[], marks: readonly Mark[], atoms: ReadonlySet<number>): void {
  const settled = new Run(parts, marks, atoms);
  // Outer pairs first: for them an inner mark is punctuation, whichever it becomes.
  for (const pair of pairUp(marks)) settled.settle(pair);
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
  /** Indexes of marks of which it is open what they become. */
  private readonly undecided: Set<number>;
  private readonly marks: ReadonlySet<number>;

  private readonly parts: string[];
  private readonly atoms: ReadonlySet<number>;

  constructor(parts: string[], marks: readonly Mark[], atoms: ReadonlySet<number>) {
    this.parts = parts;
    this.atoms = atoms;
    this.marks = new Set(marks.map(({ index }) => index));
    this.undecided = new Set(this.marks);
  }

  settle({ open, close }: Pair): void {
    let delimiter = this.delimiterFor(open, close);
    if (delimiter === undefined && this.movePunctuation(open.index, close.index))
      delimiter = this.delimiterFor(open, close);
    this.undecided.delete(open.index);
    this.undecided.delete(close.index);
    if (delimiter === undefined) return;
    this.parts[open.index] = this.textAt(open.index) + delimiter;
    this.parts[close.index] = delimiter + this.textAt(close.index);
  }

  private delimiterFor({ index: open, kind }: Mark, { index: close }: Mark): string | undefined {
    const outside = { before: this.characterBefore(open, true), after: this.characterAfter(close, true) };
    const inside = { first: this.characterAfter(open, false), last: this.characterBefore(close, false) };
    if (!isFlanking(outside.before, inside.first) || !isFlanking(outside.after, inside.last)) return undefined;
    if (kind === "strong") return "**";
    if (kind === "deletion") return "~~";
    if (isWordEdge(outside.before) && isWordEdge(outside.after)) return "_";
    const touchesStars = [outside.before, outside.after, inside.first, inside.last].includes("*");
    return touchesStars ? undefined : "*";
  }

  /** `<b>Note:</b>text` becomes `**Note**:text`. @returns false where there is nothing to move. */
  private movePunctuation(open: number, close: number): boolean {
    const first = open + 1;
    const last = close - 1;
    if ([first, last].some((index) => this.atoms.has(index) || this.undecided.has(index))) return false;
    const head = LEADING_PUNCTUATION.exec(this.textAt(first))?.[0] ?? "";
    const tail = TRAILING_PUNCTUATION.exec(this.textAt(last))?.[0] ?? "";
    const opensWell = isFlanking(this.characterBefore(open, true), this.characterAfter(open, false));
    const closesWell = isFlanking(this.characterAfter(close, true), this.characterBefore(close, false));
    // Brackets and quotation marks stay together.
    const leading = opensWell && (closesWell || !OPENING.test(head) || !CLOSING.test(tail)) ? "" : head;
    const trailing = closesWell && (leading === "" || !OPENING.test(head) || !CLOSING.test(tail)) ? "" : tail;
    const moved = first === last ? leading.length + trailing.length : Math.max(leading.length, trailing.length);
    if (moved === 0 || moved >= Math.min(this.textAt(first).length, this.textAt(last).length)) return false;
    this.parts[open] = leading;
    this.parts[first] = this.textAt(first).slice(leading.length);
    this.parts[close] = trailing;
    this.parts[last] = this.textAt(last).slice(0, this.textAt(last).length - trailing.length);
    return true;
  }

  /** A star of the page's text is escaped, so that it stands for any punctuation; one of a mark would join a delimiter. */
  private asNeighbour(part: number, character: string, isOwn: boolean): string {
    return character === "*" && (isOwn || !this.marks.has(part)) ? "." : character;
  }

  private textAt(index: number): string {
    return this.parts[index] ?? "";
  }

  private characterBefore(index: number, withOwn: boolean): string {
    for (let part = withOwn ? index : index - 1; part >= 0; part--) {
      const text = this.textAt(part);
      if (text !== "") return this.asNeighbour(part, lastCharacter(text), part === index);
      if (part !== index && this.undecided.has(part)) return "*";
    }
    return "";
  }

  private characterAfter(index: number, withOwn: boolean): string {
    for (let part = withOwn ? index : index + 1; part < this.parts.length; part++) {
      const text = this.textAt(part);
      if (text !== "") return this.asNeighbour(part, firstCharacter(text), part === index);
      if (part !== index && this.undecided.has(part)) return "*";
    }
    return "";
  }
}

/** True where a delimiter between the two works: left-flanking at an opening, right-flanking (mirrored) at a closing. */
function isFlanking(outside: string, inside: string): boolean {
  if (SPACE.test(inside)) return false;
  return !PUNCTUATION.test(inside) || SPACE.test(outside) || PUNCTUATION.test(outside);
}

/** True where an underscore may stand: not between two characters of a word. */
function isWordEdge(outside: string): boolean {
  return SPACE.test(outside) || PUNCTUATION.test(outside);
}

function firstCharacter(text: string): string {
  return String.fromCodePoint(text.codePointAt(0) ?? 32);
}

function lastCharacter(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  const isLowSurrogate = last >= 0xdc00 && last <= 0xdfff;
  return text.slice(isLowSurrogate ? -2 : -1);
}
