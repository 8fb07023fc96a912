/**
 * Removes needless escapes. Stars and tildes are escaped piece by piece, before the text behind them is known. In a
 * finished block most of them turn out to be alone: the star of a footnote, the tilde of an estimate. Where no two of
 * them could be read as the ends of a mark (CommonMark § 6.2, GFM § 6.5), the backslashes are removed.
 */

type Sign = "*" | "~";

/** Signs of one kind side by side. */
interface SignRun {
  start: number;
  end: number;
  sign: Sign;
  count: number;
  /** True for escaped text of the page, false for a mark that the writer placed. */
  isText: boolean;
  /** True when its backslashes stay because of the characters beside it. */
  isFixed: boolean;
  opens: boolean;
  closes: boolean;
}

const ESCAPED = /\\[*~]/;

/** Returns a block's text, or a cell's, without needless backslashes. */
export function relaxSigns(text: string): string {
  if (!text.includes("\\") || !ESCAPED.test(text) || mayEscapeInFormula(text)) return text;
  const runs = findRuns(text);
  if (runs === undefined) return text;
  const kinds = [runs.filter(({ sign }) => sign === "*"), runs.filter(({ sign }) => sign === "~")];
  const free = kinds.filter((ofKind) => !mayBeMarks(ofKind)).flat();
  return withoutEscapes(
    text,
    free.filter(({ isText, isFixed }) => isText && !isFixed),
  );
}

/** TeX has such commands. */
function mayEscapeInFormula(text: string): boolean {
  const [, ...parts] = text.split("$");
  return parts.slice(0, -1).some((part) => !/^\d/.test(part) && ESCAPED.test(part));
}

const TOKEN = /\\([\s\S])|(`+)|(\]\()|(\*+|~+)/g;

/** Returns the runs outside of code and addresses; undefined for texts that cannot be read with certainty. */
function findRuns(text: string): SignRun[] | undefined {
  const runs: SignRun[] = [];
  const token = new RegExp(TOKEN);
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [whole, escaped, ticks, address] = match;
    const start = match.index;
    if (ticks !== undefined || address !== undefined) {
      const end = ticks === undefined ? endOfAddress(text, start + 2) : endOfCode(text, start + whole.length, ticks);
      if (end === undefined) return undefined;
      token.lastIndex = end;
    } else if (escaped === undefined)
      addRun(runs, { start, sign: whole.charAt(0) as Sign, count: whole.length, isText: false });
    else if (escaped === "*" || escaped === "~") addRun(runs, { start, sign: escaped, count: 1, isText: true });
  }
  for (const run of runs) {
    setSides(run, text);
    run.isFixed ||= isBesideMarker(run, text) || mayStartBlock(run, text);
  }
  return runs;
}

function endOfCode(text: string, from: number, ticks: string): number | undefined {
  const fence = /`+/g;
  fence.lastIndex = from;
  for (let match = fence.exec(text); match !== null; match = fence.exec(text))
    if (match[0] === ticks) return fence.lastIndex;
  return undefined;
}

/** Returns the end of an address, whose round brackets are in pairs. */
function endOfAddress(text: string, from: number): number | undefined {
  let depth = 1;
  for (let place = from; place < text.length; place++) {
    const character = text.charAt(place);
    if (character === "(") depth++;
    else if (character === ")" && --depth === 0) return place + 1;
  }
  return undefined;
}

function addRun(
  runs: SignRun[],
  { start, sign, count, isText }: Pick<SignRun, "start" | "sign" | "count" | "isText">,
): void {
  const end = start + (isText ? 2 : count);
  const last = runs.at(-1);
  const isBeside = last?.end === start && last.sign === sign;
  if (isBeside && isText && last.isText) {
    last.count += count;
    last.end = end;
    return;
  }
  // Beside a placed mark it would become a part of that.
  if (isBeside) last.isFixed = true;
  runs.push({ start, end, sign, count, isText, isFixed: isBeside, opens: false, closes: false });
}

/** A star or three tildes at the start of a line may be more than emphasis. */
function mayStartBlock({ start, end, count }: SignRun, text: string): boolean {
  const isAtStart = start === 0 || text.charAt(start - 1) === "\n";
  return isAtStart && (count > 2 || SPACE.test(text.charAt(end)));
}

const MARKER = /[*_~]/;

/** Readers differ in the effect of a sign right beside another of these. */
function isBesideMarker({ start, end }: SignRun, text: string): boolean {
  return MARKER.test(text.charAt(start - 1)) || MARKER.test(signAt(text, end));
}

/** Returns a character, escaped or not. */
function signAt(text: string, place: number): string {
  const character = text.charAt(place);
  return character === "\\" ? text.charAt(place + 1) : character;
}

const SPACE = /^\s?$/;
const PUNCTUATION = /[\p{P}\p{S}]/u;
/** Halves of signs outside the basic plane: readers disagree whether those are punctuation. */
const HALF = /[\ud800-\udfff]/;

/** The rules of left- and right-flanking runs; in doubt a run can do both. */
function setSides(run: SignRun, text: string): void {
  const before = text.charAt(run.start - 1);
  const after = text.charAt(run.end);
  run.opens = !SPACE.test(after) && (!PUNCTUATION.test(after) || isApart(before) || MARKER.test(signAt(text, run.end)));
  run.closes = !SPACE.test(before) && (!PUNCTUATION.test(before) || isApart(after) || MARKER.test(before));
}

function isApart(character: string): boolean {
  return SPACE.test(character) || HALF.test(character) || PUNCTUATION.test(character);
}

/** True when a run of text could be one end of a mark; the runs are all of one sign. */
function mayBeMarks(runs: readonly SignRun[]): boolean {
  const openers: { run: SignRun; left: number }[] = [];
  for (const run of runs) {
    if (run.isText && run.isFixed) continue;
    let left = run.count;
    for (let opener = openers.at(-1); run.closes && left > 0 && opener !== undefined; opener = openers.at(-1)) {
      if (run.isText || opener.run.isText || !areEnds(opener.run, run)) return true;
      const used = Math.min(left, opener.left, 2);
      left -= used;
      opener.left -= used;
      if (opener.left === 0) openers.pop();
    }
    if (run.opens && left > 0) openers.push({ run, left });
  }
  return false;
}

/** Reports whether two placed marks belong together; others are not worth examining. */
function areEnds(opener: SignRun, closer: SignRun): boolean {
  // A single tilde is text that needed no backslash.
  if (closer.sign === "~") return opener.count === 2 && closer.count === 2;
  const mayBeBoth = opener.closes || closer.opens;
  return !mayBeBoth || (opener.count + closer.count) % 3 !== 0 || opener.count % 3 === 0;
}

function withoutEscapes(text: string, runs: readonly SignRun[]): string {
  let relaxed = "";
  let done = 0;
  for (const { start, end, sign, count } of runs.toSorted((a, b) => a.start - b.start)) {
    relaxed += text.slice(done, start) + sign.repeat(count);
    done = end;
  }
  return relaxed + text.slice(done);
}
