import type { MarginBlock, MarginPage } from "./margin-evidence.ts";
import { isStamp, marginEvidence, RUNNING_HEAD_EVIDENCE, rulesBetween } from "./margin-evidence.ts";
import { MarginWords } from "./pages/margin-words.ts";
import { isPageNumber, isTitleSize, NUMBER_SHARE, type PageNumbers, pageNumbers } from "./pages/page-numbers.ts";
import type { Line, PageText } from "./text-run.ts";
import { typeScale } from "./type-scale.ts";

/** Running heads and feet are within these shares of the page's height; LaTeX sets heads so far from the edge. */
const MARGIN_SHARE = { top: 0.135, bottom: 0.12 };
/** Text that recurs on this many pages is a running head. */
const MIN_PAGES = 3;
/** Rows of a running head or foot; a foot may hold a licence. */
const MAX_ROWS = { top: 3, bottom: 5 };
const MAX_BLOCKS = 2;
/** Maximum number of rows next to a block that are compared with it. */
const MAX_NEIGHBOURS = 4;
/** Minimum white space between a margin and the text, in multiples of the body size. */
const MIN_GAP = 0.75;
/** Maximum distance in points between a row and a drawn line that belongs to it. */
const MAX_RULE_DISTANCE = 12;
/** A page with less text may be a title page. */
const MIN_TEXT_CHARACTERS = 200;
/** Vertical text within this share of the left or right edge is a stamp if its words are those of one. */
const SIDE_SHARE = 0.12;
/** Text across the writing within this share of the upper or lower edge may be a running head. */
const ASIDE_SHARE = 0.08;
const MAX_HEAD_LENGTH = 80;

/** Properties of the whole document that distinguish running heads from text. */
interface Margins extends Omit<MarginPage, "height"> {
  numbers: PageNumbers;
  words: MarginWords;
  /** Number of pages with the same words at the same place in the margin. */
  pagesWith: (line: Line, page: PageText) => number;
}

/**
 * Removes the text in the margins: page numbers, text that recurs on several pages except its first occurrence, and
 * running heads and feet that are recognisable from a single page. When most pages would be left without text, as cards with
 * their numbers alone, these keep it.
 * @returns the pages in their order, made anew by each turn over them
 */
export function withoutRunningHeads(pages: Iterable<PageText>, { bodySize } = typeScale(pages)): Iterable<PageText> {
  const words = new MarginWords(bodySize);
  const { isItalicText, inText } = learnLines(pages, words);
  const margins: Margins = {
    bodySize,
    isItalicText,
    numbers: pageNumbers(pages, bodySize),
    words,
    pagesWith: pageCounts(pages, words),
  };
  const isRepeated = repeatedLines(inText, margins);
  const pagesWithRow = asideCounts(pages);
  const running: Set<number>[] = [];
  const known = new Set<string>();
  for (const page of pages) {
    const heads = runningLines(page, margins);
    running.push(placesOf(heads, page));
    for (const line of heads) if (words.of(line, page) !== "") known.add(keyOf(line, page, words));
  }
  // A running head of one page is also one on a page with hardly any text.
  const isKnown = (line: Line, page: PageText): boolean =>
    words.of(line, page) !== "" && known.has(keyOf(line, page, words)) && !isTitleSize(line, bodySize);
  const removed: Set<number>[] = [];
  const emptied: number[] = [];
  let withLines = 0;
  for (const page of pages) {
    const others = marginLines(page).filter((line) => isRepeated(line, page) || isKnown(line, page));
    const places = placesOf(others, page).union(running[removed.length] ?? new Set<number>());
    const count = page.regions.reduce((sum, lines) => sum + lines.length, 0);
    if (count > 0) withLines++;
    if (count > 0 && places.size === count) emptied.push(removed.length);
    removed.push(places);
  }
  if (emptied.length > withLines / 2) for (const at of emptied) removed[at] = new Set<number>();
  return {
    *[Symbol.iterator]() {
      let at = 0;
      for (const page of pages) {
        const places = removed[at++];
        let place = 0;
        const regions = page.regions.map((lines) => lines.filter(() => places?.has(place++) !== true));
        yield {
          ...page,
          regions: regions.filter((lines) => lines.length > 0),
          asides: withoutStamps(page, pagesWithRow),
        };
      }
    },
  };
}

/** Returns the places of lines among all of a page. */
function placesOf(lines: readonly Line[], page: PageText): Set<number> {
  const own = new Set(lines);
  return new Set(page.regions.flat().flatMap((line, place) => (own.has(line) ? [place] : [])));
}

/**
 * Returns whether most lines are in italics, and the words of the lines that are in no margin; those in the margins are
 * learned.
 */
function learnLines(pages: Iterable<PageText>, words: MarginWords): { isItalicText: boolean; inText: Set<string> } {
  let [italic, all] = [0, 0];
  const inText = new Set<string>();
  for (const page of pages) {
    const lines = page.regions.flat();
    all += lines.length;
    italic += lines.filter(isItalic).length;
    words.learn(marginLines(page), page);
    for (const { text } of textLines(page)) inText.add(text).add(withoutNumbersAround(text));
  }
  return { isItalicText: italic * 2 > all, inText };
}

function isItalic(line: Line): boolean {
  return line.segments.every(({ runs }) => runs.every((run) => run.isItalic));
}

function pageCounts(pages: Iterable<PageText>, words: MarginWords): Margins["pagesWith"] {
  const counts = new Map<string, number>();
  for (const page of pages) {
    for (const key of new Set(marginLines(page).map((line) => keyOf(line, page, words))))
      counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return (line, page) => counts.get(keyOf(line, page, words)) ?? 0;
}

/**
 * Returns a test for numbers that count the pages and for lines that recur at the same place; the first one with words
 * is kept unless the text has it. It is asked once for each line of the margins, page after page.
 */
function repeatedLines(
  inText: ReadonlySet<string>,
  { numbers, words, pagesWith }: Margins,
): (line: Line, page: PageText) => boolean {
  const seen = new Set<string>();
  return (line, page) => {
    if (pagesWith(line, page) < MIN_PAGES) return false;
    const own = words.of(line, page);
    if (own === "") return numbers.isCounting(line, page);
    const key = keyOf(line, page, words);
    const isFirst = !seen.has(key) && /\p{L}{3}|\d/u.test(own) && !inText.has(own);
    seen.add(key);
    return !isFirst;
  };
}

/** Returns the lines of the running heads and feet that are recognisable from the page alone. */
function runningLines(page: PageText, margins: Margins): Line[] {
  const rows = rowsOf(page);
  const characters = page.regions.flat().reduce((sum, line) => sum + line.text.length, 0);
  const heads = (["top", "bottom"] as const).flatMap((side) => {
    const found: Line[] = [];
    let rest = side === "top" ? rows : rows.toReversed();
    for (let count = 0; count < MAX_BLOCKS; count++) {
      const block = outermostBlock(rest, side, page, margins);
      if (block === undefined) break;
      const isNumber = block.lines.every((line) => isPageNumber(line.text));
      if (!isNumber && characters < MIN_TEXT_CHARACTERS) break;
      if (marginEvidence(block, { ...margins, height: page.height }) < RUNNING_HEAD_EVIDENCE) break;
      found.push(...block.lines);
      rest = rest.filter((row) => !row.some((line) => block.lines.includes(line)));
    }
    return found;
  });
  return heads.length < page.regions.flat().length ? heads : [];
}

/** Returns the rows of a page from top to bottom, across its regions. */
function rowsOf(page: PageText): Line[][] {
  const rows: Line[][] = [];
  for (const line of page.regions.flat().toSorted((a, b) => a.baseline - b.baseline)) {
    const row = rows.at(-1);
    const isSame = row?.some(
      (other) => Math.abs(other.baseline - line.baseline) < Math.min(other.size, line.size) * 0.4,
    );
    if (row !== undefined && isSame === true) row.push(line);
    else rows.push([line]);
  }
  return rows;
}

/**
 * Returns the rows at the edge, the outermost first, up to the first white space or drawn line that separates them from the
 * rest; undefined when they reach beyond the margin or are too many.
 */
function outermostBlock(
  rows: readonly Line[][],
  side: MarginBlock["side"],
  page: PageText,
  margins: Margins,
): MarginBlock | undefined {
  const { isCounting, isOwn } = margins.numbers;
  const numberOf = (some: readonly Line[]): MarginBlock["number"] => {
    if (some.every((line) => isCounting(line, page))) return "counting";
    return some.every((line) => isOwn(line, page)) ? "own" : undefined;
  };
  const isInMargin = (row: readonly Line[]): boolean => {
    const share = numberOf(row) === undefined ? MARGIN_SHARE[side] : NUMBER_SHARE;
    return row.every((line) =>
      side === "top" ? line.bottom < page.height * share : line.top > page.height * (1 - share),
    );
  };
  const lines: Line[] = [];
  for (const [at, row] of rows.entries()) {
    if (at >= MAX_ROWS[side] || !isInMargin(row) || isTableRow(row, side, page)) return undefined;
    lines.push(...row);
    const next = rows[at + 1];
    if (next === undefined) return undefined;
    const [above, below] = side === "top" ? [row, next] : [next, row];
    const from = Math.max(...above.map((line) => line.bottom));
    const to = Math.min(...below.map((line) => line.top));
    const gap = (to - from) / Math.max(1, margins.bodySize);
    const isRuledOff = rulesBetween(page.rules, from, to, page.width).length > 0;
    if (gap < MIN_GAP && !isRuledOff) continue;
    return {
      lines: side === "top" ? lines : lines.toReversed(),
      side,
      gap,
      isRuledOff,
      neighbours: rows.slice(at + 1, at + 1 + MAX_NEIGHBOURS),
      isRecurring: lines.some((line) => margins.words.of(line, page) !== "" && margins.pagesWith(line, page) > 1),
      number: numberOf(lines),
    };
  }
  return undefined;
}

/** Reports whether a row has many cells, or has a drawn line on its outer side, as the first row of a table has. */
function isTableRow(row: readonly Line[], side: MarginBlock["side"], page: PageText): boolean {
  const segments = row.reduce((sum, line) => sum + line.segments.length, 0);
  const edge = side === "top" ? Math.min(...row.map((line) => line.top)) : Math.max(...row.map((line) => line.bottom));
  const outer = side === "top" ? rulesBetween(page.rules, edge - MAX_RULE_DISTANCE, edge, page.width) : [];
  return segments > 3 || outer.length > 0;
}

function withoutStamps(page: PageText, pagesWithRow: (row: AsideRow) => number): PageText["asides"] {
  const isAtSide = (x: number): boolean => x < SIDE_SHARE || x > 1 - SIDE_SHARE;
  const margin = page.asides.filter(({ x }) => isAtSide(x));
  const text = margin.map((aside) => aside.text).join(" ");
  const left = isStamp(text) || isPageNumber(text) ? page.asides.filter(({ x }) => !isAtSide(x)) : page.asides;
  const heads = asideRows(page).filter((row) => isHeadAcross(row) || pagesWithRow(row) > 1);
  const removed = new Set(heads.flatMap((row) => row.asides));
  return left.filter((aside) => !removed.has(aside));
}

/** Horizontal text at the top or bottom edge of a page with vertical text. */
interface AsideRow {
  y: number;
  text: string;
  asides: PageText["asides"];
}

function asideRows({ asides }: PageText): AsideRow[] {
  const rows = new Map<number, PageText["asides"]>();
  for (const aside of asides) {
    if (aside.y > ASIDE_SHARE && aside.y < 1 - ASIDE_SHARE) continue;
    const y = Math.round(aside.y * 200);
    const same = rows.get(y);
    if (same === undefined) rows.set(y, [aside]);
    else same.push(aside);
  }
  return [...rows].map(([y, own]) => ({ y, text: own.map((aside) => aside.text).join(""), asides: own }));
}

/** Reports whether a row at the edge has the number of a page, or words of a stamp. */
function isHeadAcross({ text }: AsideRow): boolean {
  return isPageNumber(text) || isStamp(text) || (text.length < MAX_HEAD_LENGTH && /\d\s*[)\]–—-]?$/u.test(text));
}

function rowKey({ y, text }: AsideRow): string {
  return `${y}:${text.replace(/\d+/g, "#")}`;
}

/** Returns on how many pages a row of horizontal text is at an edge. */
function asideCounts(pages: Iterable<PageText>): (row: AsideRow) => number {
  const counts = new Map<string, number>();
  for (const page of pages)
    for (const key of new Set(asideRows(page).map(rowKey))) counts.set(key, (counts.get(key) ?? 0) + 1);
  return (row) => counts.get(rowKey(row)) ?? 0;
}

function marginLines(page: PageText): Line[] {
  const top = page.height * MARGIN_SHARE.top;
  const bottom = page.height * (1 - MARGIN_SHARE.bottom);
  return page.regions.flat().filter((line) => line.bottom < top || line.top > bottom);
}

function textLines(page: PageText): Line[] {
  const margins = new Set(marginLines(page));
  return page.regions.flat().filter((line) => !margins.has(line));
}

/** Returns the same key for the same words at the same height; page numbers may be at the top or bottom. */
function keyOf(line: Line, page: PageText, words: MarginWords): string {
  const own = words.of(line, page);
  return own === "" ? "number" : `${Math.round((line.baseline / page.height) * 50)}:${own}`;
}

function withoutNumbersAround(words: string): string {
  let end = words.length;
  while (end > 0 && /[\d\s]/.test(words.charAt(end - 1))) end--;
  return words.slice(0, end).replace(/^[\d\s]+/, "");
}
