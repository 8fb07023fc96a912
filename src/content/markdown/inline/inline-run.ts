import { keepShape } from "../../../core/kept-shapes.ts";
import { collapse, endsInAddress, escapeLineStart, escapeText, hasPlainBrackets } from "./escape.ts";
import { inlineCodeText } from "./inline-code.ts";
import { settleMarks, type Mark, type MarkKind } from "./marks.ts";

/**
 * The output for a line break in the run: a line of the paragraph, a space (headings, links), or `<br>` (table cells).
 */
export type RunMode = "flow" | "line" | "cell";

const WORD_START = /^[\p{L}\p{N}]/u;
const WORD_END = /[\p{L}\p{N}]$/u;
/** Placeholder for code until it is complete. */
const CODE_PLACE = "`";
/** Placeholder for a complete construct where only the text around it matters. */
const ATOM_PLACE = ".";
const HARD_BREAK = "  \n";
/** Most runs are a few plain words: state that only some of them need is allocated on demand. */
const NOTHING: readonly never[] = [];
const NO_ATOMS: ReadonlySet<number> = new Set();
const MARK_KINDS: readonly MarkKind[] = ["strong", "emphasis", "deletion"];

/**
 * Running text under construction. White space is held back until something follows it, so that it is never at an edge
 * or inside an emphasis mark; marks are settled at the end, when the characters on both of their sides are known.
 */
export class InlineRun {
  /** True when white space came before the first content (outside, for a link's text). */
  startsWithSpace = false;
  #parts: string[] = [];
  #marks: Mark[] = [];
  /** Indexes of parts that are complete constructs, which marks must not cut into. */
  #atoms: Set<number> | undefined;
  readonly #depths: Record<MarkKind, number> = { strong: 0, emphasis: 0, deletion: 0 };
  #muted: readonly MarkKind[] = NOTHING;
  #waitingMarks: readonly MarkKind[] = NOTHING;
  #hasWaitingSpace = false;
  #hasSeam = false;
  /** True when text that follows without a space would be read as part of an address. */
  #endsInAddress = false;
  /** Code by the index of its part. */
  #codes: Map<number, string> | undefined;
  #waitingBreaks = 0;
  /** The part that is the last key. */
  #keyPart = -1;

  readonly mode: RunMode;
  readonly inLink: boolean;

  constructor(mode: RunMode, inLink: boolean) {
    this.mode = mode;
    this.inLink = inLink;
    keepShape(this);
  }

  get isEmpty(): boolean {
    return this.#parts.length === 0;
  }

  get endsWithSpace(): boolean {
    return this.#hasWaitingSpace || this.#waitingBreaks > 0;
  }

  /** True when two line breaks in a row end a paragraph. */
  get isParagraphOver(): boolean {
    return this.mode === "flow" && this.#waitingBreaks >= 2;
  }

  /** Adds text of the page: white space is collapsed, characters that markdown would read as markup are escaped. */
  addText(source: string): void {
    const text = collapse(source);
    if (text === "") return;
    const isOpen = text.charCodeAt(0) === 32;
    if (isOpen) this.addSpace();
    if (text === " ") return;
    const isOpenAtEnd = text.charCodeAt(text.length - 1) === 32;
    const core = isOpen || isOpenAtEnd ? text.trim() : text;
    if (WORD_START.test(core)) this.#partAtSeam();
    const isBehindAddress = this.#isBehindAddress();
    let escaped = escapeText(core, this.inLink, this.#upcomingBefore());
    const isApart = isBehindAddress && (firstWord(escaped) !== firstWord(core) || this.#parts.at(-1) === "");
    if (isApart) {
      this.#hasWaitingSpace = true;
      escaped = escapeText(core, this.inLink, this.#upcomingBefore());
    }
    const continues = isBehindAddress && !isApart && !core.includes(" ");
    this.#release();
    this.#parts.push(escaped);
    this.#endsInAddress = continues || endsInAddress(core);
    if (isOpenAtEnd) this.#hasWaitingSpace = true;
  }

  /** Adds a complete construct, such as a link, as it is to be written. */
  addAtom(markdown: string): void {
    if (markdown === "") return;
    if (markdown.startsWith("[")) this.#partAtSeam();
    if (!markdown.startsWith("<")) this.#partFromAddress();
    this.#release();
    if (markdown.startsWith("[")) this.#guardAgainstImage(this.#parts.length - 1);
    this.#addPart(markdown);
  }

  /**
   * Adds code; ticks of two pieces right beside each other would join, so the pieces become one.
   * @param isKey true for keys, which stay separate
   */
  addCode(code: string, isKey = false): void {
    this.#partFromAddress();
    if (isKey && this.#hasKeyAtEnd) this.#hasWaitingSpace = true;
    this.#release();
    const last = this.#parts.length - 1;
    this.#codes ??= new Map();
    const before = this.#codes.get(last);
    if (before !== undefined) this.#codes.set(last, before + code);
    else {
      this.#codes.set(last + 1, code);
      this.#addPart(CODE_PLACE);
    }
    this.#keyPart = isKey ? this.#parts.length - 1 : -1;
  }

  get #hasKeyAtEnd(): boolean {
    return this.#keyPart >= 0 && this.#keyPart === this.#parts.length - 1;
  }

  #addPart(markdown: string): void {
    this.#endsInAddress = false;
    (this.#atoms ??= new Set()).add(this.#parts.length);
    this.#parts.push(markdown);
  }

  /** Drops white space that turned out to be between blocks. */
  forgetSpace(): void {
    this.startsWithSpace = false;
    this.#hasWaitingSpace = false;
    this.#waitingBreaks = 0;
  }

  /** Adds a closing tag, right behind its content. */
  addTight(markdown: string): void {
    (this.#atoms ??= new Set()).add(this.#parts.length);
    this.#parts.push(markdown);
  }

  addSpace(): void {
    if (this.isEmpty) this.startsWithSpace = true;
    this.#hasWaitingSpace = true;
  }

  /** Adds a seam between two elements without white space: letters on both sides of it are not one word. */
  addSeam(): void {
    this.#hasSeam = true;
  }

  addBreak(): void {
    if (this.mode === "line") this.addSpace();
    else this.#waitingBreaks++;
  }

  /** Ends the line without ever leaving an empty one, as blocks do inside of cells and headings. */
  endLine(): void {
    if (this.mode === "line") this.addSpace();
    else if (!this.isEmpty) this.#waitingBreaks = 1;
  }

  open(kind: MarkKind): void {
    if (++this.#depths[kind] === 1) this.#waitingMarks = [...this.#waitingMarks, kind];
  }

  close(kind: MarkKind): void {
    if (--this.#depths[kind] > 0) return;
    const waiting = this.#waitingMarks.lastIndexOf(kind);
    if (waiting !== -1) this.#waitingMarks = this.#waitingMarks.toSpliced(waiting, 1);
    else this.#placeMark(kind, false);
  }

  /** Mutes marks that are already open in the outer run. */
  inherit(outer: InlineRun): void {
    for (const kind of MARK_KINDS) if (outer.#depths[kind] > 0) this.mute(kind);
  }

  /** Ignores marks of this kind from here on: the surroundings show it already. */
  mute(kind: MarkKind): void {
    this.#depths[kind]++;
    this.#muted = [...this.#muted, kind];
  }

  /** Begins the next paragraph, in which the same marks are open. */
  startOver(): void {
    this.#parts = [];
    if (this.#marks.length > 0) this.#marks = [];
    this.#atoms = undefined;
    this.#codes = undefined;
    this.#keyPart = -1;
    this.#hasSeam = false;
    this.#endsInAddress = false;
    this.forgetSpace();
    this.#waitingMarks = NOTHING;
    for (const kind of MARK_KINDS) {
      if (this.#depths[kind] > 0 && !this.#muted.includes(kind)) this.#waitingMarks = [...this.#waitingMarks, kind];
    }
  }

  /** Returns the finished text. Marks still open are closed. */
  finish(): string {
    this.#closeOpenMarks();
    for (const [index, code] of this.#codes ?? NOTHING) this.#parts[index] = inlineCodeText(code);
    if (this.#marks.length > 0) {
      settleMarks(this.#parts, this.#marks, this.#atoms ?? NO_ATOMS);
      this.#mendSeams();
    }
    if (this.inLink) this.#relaxBrackets();
    const text = this.#parts.join("");
    if (this.mode !== "flow") return text;
    if (!text.includes(HARD_BREAK)) return escapeLineStart(text);
    return text
      .split(HARD_BREAK)
      .map((line, index) => escapeLineStart(line, index === 0))
      .join(HARD_BREAK);
  }

  /** Removes escapes of paired square brackets, which are allowed in the text of a link. */
  #relaxBrackets(): void {
    const isText = (index: number): boolean => this.#atoms?.has(index) !== true;
    const text = this.#parts.map((part, index) => (isText(index) ? part : ATOM_PLACE)).join("");
    if (!hasPlainBrackets(text)) return;
    for (const [index, part] of this.#parts.entries())
      if (isText(index))
        this.#parts[index] = part.replace(/\\([\s\S])/g, (pair, sign) => (/[[\]]/.test(sign) ? sign : pair));
  }

  /** Separates parts that became adjacent where a mark was dropped: two pieces of code, or a text and a link. */
  #mendSeams(): void {
    for (const { index } of this.#marks) {
      if (this.#parts[index] !== "") continue;
      let before = index - 1;
      while (this.#parts[before] === "") before--;
      let after = index + 1;
      while (this.#parts[after] === "") after++;
      const next = this.#parts[after] ?? "";
      if (this.#codes?.has(before) === true && this.#codes.has(after)) this.#parts[index] = " ";
      else if (next.startsWith("[") && this.#atoms?.has(after) === true) this.#guardAgainstImage(before);
    }
  }

  #closeOpenMarks(): void {
    const open: MarkKind[] = [];
    for (const { kind, isOpening } of this.#marks) {
      if (isOpening) open.push(kind);
      else open.splice(open.lastIndexOf(kind), 1);
    }
    for (const kind of open.toReversed()) this.#placeMark(kind, false);
  }

  /** Adds a space behind an address, because text right behind it would be read as part of it. */
  #partFromAddress(): void {
    if (this.#isBehindAddress()) this.#hasWaitingSpace = true;
  }

  #isBehindAddress(): boolean {
    return this.#endsInAddress && !this.#hasWaitingSpace && this.#waitingBreaks === 0 && !this.inLink;
  }

  #partAtSeam(): void {
    if (!this.#hasSeam) return;
    const last = this.#parts.length - 1;
    const isBehindLink = this.#atoms?.has(last) === true && this.#parts[last]?.startsWith("[") === true;
    if (isBehindLink || WORD_END.test(this.#lastCharacter())) this.#hasWaitingSpace = true;
  }

  /** Writes the held-back parts, now that something follows. */
  #release(): void {
    if (this.#waitingMarks.length > 0) this.#partFromAddress();
    if (!this.isEmpty) {
      if (this.#waitingBreaks > 0) this.#pushBreak();
      else if (this.#hasWaitingSpace) this.#parts.push(" ");
    }
    this.#waitingBreaks = 0;
    this.#hasWaitingSpace = false;
    this.#hasSeam = false;
    for (const kind of this.#waitingMarks) this.#placeMark(kind, true);
    if (this.#waitingMarks.length > 0) this.#waitingMarks = NOTHING;
  }

  #pushBreak(): void {
    (this.#atoms ??= new Set()).add(this.#parts.length);
    this.#parts.push(this.mode === "cell" ? "<br>" : HARD_BREAK);
  }

  /** Reserves a part for a mark. One that opens where one of its kind has just closed continues that one. */
  #placeMark(kind: MarkKind, isOpening: boolean): void {
    const last = this.#marks.at(-1);
    if (
      isOpening &&
      last !== undefined &&
      !last.isOpening &&
      last.kind === kind &&
      last.index === this.#parts.length - 1
    ) {
      this.#marks.pop();
      this.#parts.pop();
      return;
    }
    this.#marks.push({ kind, isOpening, index: this.#parts.length });
    this.#parts.push("");
  }

  /** Returns the character that will precede the next text. */
  #upcomingBefore(): string {
    if (this.#waitingMarks.length > 0) return "*";
    return this.#hasWaitingSpace || this.#waitingBreaks > 0 ? " " : this.#lastCharacter();
  }

  #lastCharacter(): string {
    const last = this.#parts.at(-1);
    if (last === undefined) return "";
    return last === "" ? "*" : last.charAt(last.length - 1);
  }

  /** `!` in front of a link would make it an image. */
  #guardAgainstImage(index: number): void {
    const last = this.#parts[index];
    if (last?.endsWith("!") === true && this.#atoms?.has(index) !== true)
      this.#parts[index] = `${last.slice(0, -1)}\\!`;
  }
}

function firstWord(text: string): string {
  const end = text.indexOf(" ");
  return end === -1 ? text : text.slice(0, end);
}
