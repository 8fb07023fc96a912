import { tokensOf } from "../../../src/tools/train-main-content/word-f1.ts";
import { distanceWithin, endsWithin } from "./near-text.ts";
import { plainText, tablesOf } from "./markdown-parts.ts";

/** One rule about a reading; the names are those of the suites' manifest. */
export interface Assertion {
  type: string;
  text?: string;
  case_sensitive?: boolean;
  /** Only this many characters at the start or at the end count. */
  first_n?: number;
  last_n?: number;
  /** Characters by which the text may differ (Levenshtein). */
  max_diffs?: number;
  before?: string;
  after?: string;
  cell?: string;
  up?: string;
  down?: string;
  left?: string;
  right?: string;
  top_heading?: string;
  left_heading?: string;
  gold?: string;
  /** Words of another reader of the file; `minRecall` is the share of them that this one must have. */
  words?: string[];
  minRecall?: number;
  /** An expression over a feed, whose quoted values the reading must hold. */
  expect?: string;
}

const NEIGHBOURS = { up: [-1, 0], down: [1, 0], left: [0, -1], right: [0, 1] } as const;

/** Checks a rule against a reading; undefined for rules that are measured otherwise. */
export function checkAssertion(assertion: Assertion, markdown: string, metadata: string): boolean | undefined {
  switch (assertion.type) {
    case "present":
      return isPresent(assertion, markdown);
    case "absent":
      return !isPresent(assertion, markdown);
    case "order":
      return isInOrder(assertion, markdown);
    case "table":
      return tablesOf(markdown).some((rows) => holdsCell(rows, assertion));
    case "words":
      return wordRecall(assertion.words?.join(" ") ?? assertion.text ?? "", markdown) >= (assertion.minRecall ?? 0.95);
    case "feedparser":
      return expectedValues(assertion.expect ?? "").every((value) => `${markdown} ${metadata}`.includes(value));
    default:
      return undefined;
  }
}

function isPresent(assertion: Assertion, markdown: string): boolean {
  const [wanted, whole] = [assertion.text ?? "", markdown].map((text) => {
    const plain = plainText(text);
    return assertion.case_sensitive === false ? plain.toLowerCase() : plain;
  }) as [string, string];
  const { first_n: first, last_n: last, max_diffs: diffs = 0 } = assertion;
  const parts = [...(first ? [whole.slice(0, first)] : []), ...(last ? [whole.slice(-last)] : [])];
  const text = parts.length === 0 ? whole : parts.join("");
  return text !== "" && distanceWithin(wanted, text) <= diffs;
}

function isInOrder({ before = "", after = "", max_diffs: diffs = 0 }: Assertion, markdown: string): boolean {
  const text = plainText(markdown);
  const first = Math.min(...endsWithin(plainText(before), text, diffs));
  const last = Math.max(...endsWithin(plainText(after), text, diffs));
  return first < last;
}

function holdsCell(rows: readonly string[][], assertion: Assertion): boolean {
  const diffs = assertion.max_diffs ?? 0;
  const at = (row: number, column: number): string => rows[row]?.[column] ?? "";
  const holds = (row: number, column: number): boolean => {
    if (!isCell(assertion.cell, at(row, column), diffs)) return false;
    for (const [side, [down, right]] of Object.entries(NEIGHBOURS)) {
      const wanted = assertion[side as keyof typeof NEIGHBOURS];
      if (wanted && !isCell(wanted, at(row + down, column + right), diffs)) return false;
    }
    const above = rows.slice(0, row).map((cells) => cells[column] ?? "");
    const before = rows[row]?.slice(0, column) ?? [];
    const { top_heading: top, left_heading: left } = assertion;
    return (
      (!top || above.some((cell) => isCell(top, cell, diffs))) &&
      (!left || before.some((cell) => isCell(left, cell, diffs)))
    );
  };
  return rows.some((cells, row) => cells.some((_, column) => holds(row, column)));
}

/** Reports whether a cell is the wanted one: the same text, or little around it. */
function isCell(wanted: string | undefined, cell: string, diffs: number): boolean {
  const [text, other] = [plainText(wanted ?? "").toLowerCase(), cell.toLowerCase()];
  if (text === other || (other.includes(text) && other.length < text.length * 2 + 3)) return true;
  return diffs > 0 && Math.abs(text.length - other.length) <= diffs && distanceWithin(text, other) <= diffs;
}

/** Returns the share of the words of a text that a reading has. */
export function wordRecall(wanted: string, markdown: string): number {
  const words = tokensOf(wanted);
  const found = new Set(tokensOf(markdown));
  return words.filter((word) => found.has(word)).length / Math.max(1, words.length);
}

/** Returns the quoted values of an expression such as `feed['title'] == 'found'`, keys not counted. */
function expectedValues(expression: string): string[] {
  return [...expression.matchAll(/==\s*u?'([^'\\]+)'/g)].map(([, value = ""]) => value);
}
