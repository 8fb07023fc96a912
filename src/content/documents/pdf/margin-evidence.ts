import type { RulingLine } from "./pages/ruling-lines.ts";
import { isPageNumber, isTitleSize } from "./pages/page-numbers.ts";
import { isHorizontal } from "./pages/ruling-lines.ts";
import type { Line } from "./text-run.ts";

/** Lines at the edge of a page that nothing parts from each other, but white space or a drawn line from the text. */
export interface MarginBlock {
  lines: Line[];
  side: "top" | "bottom";
  /** White space between the block and the text, in multiples of the body size. */
  gap: number;
  /** Set when a drawn line parts the block from the text. */
  isRuledOff: boolean;
  /** The next rows towards the text, the nearest first. */
  neighbours: Line[][];
  /** Set when the words are in the margin of another page too. */
  isRecurring: boolean;
  /** The lines number their page, or are its number in the file. */
  number: "counting" | "own" | undefined;
}

export interface MarginPage {
  height: number;
  bodySize: number;
  /** Set when most lines of the text are set so. */
  isItalicText: boolean;
}

/** A block with this much evidence is a running head or foot. */
export const RUNNING_HEAD_EVIDENCE = 3;
/** The outermost share of a page's height, which text hardly reaches. */
const EDGE_SHARE = 0.07;
const WIDE_GAP = 1.5;
/** A longer block is text, whatever it says; a licence at the foot of a page has some 60 words. */
const MAX_WORDS = 30;
const MAX_STAMP_WORDS = 80;

/** Phrases with which publishers and printers stamp pages. */
const STAMP = new RegExp(
  [
    String.raw`\bdownloaded (?:from|by|on|at)\b`,
    String.raw`\bauthorized (?:licensed )?use\b`,
    String.raw`\ball rights reserved\b`,
    String.raw`©|\(c\) ?\d{4}|\bcopyright\b`,
    String.raw`\b[ei]?-?issn\b|\bisbn\b`,
    String.raw`\bconfidential\b|\bproprietary\b|\bdraft\b.{0,20}\d`,
    String.raw`\bvol(?:ume|\.)? ?[\divxlc]+\b`,
    String.raw`\bissue ?\d|\bpp?\. ?\d`,
    String.raw`\barxiv:|\bpreprint\b|\baccepted manuscript\b|\bauthor manuscript\b`,
    String.raw`\bproceedings of\b|\bjournal of\b|\btransactions on\b`,
    String.raw`\bprinted (?:on|in|from|by)\b|\blast (?:revised|updated|modified)\b`,
    String.raw`\blicen[sc]ed (?:to|under)\b|\bcreative commons\b`,
    String.raw`\brev(?:ision|\.)? ?\d|\bversion \d`,
    String.raw`\bpage \d+ (?:of|/)|\bseite \d+ von`,
    // The date and time above a page that a browser has printed.
    String.raw`^\d{1,4}[./-]\d{1,2}[./-]\d{1,4},? +\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]m)?(?!\S)`,
  ].join("|"),
  "iu",
);
/** Phrases of stamps that references, sources and letters have too. */
const WEAK_STAMP = new RegExp(
  [
    String.raw`\bhttps?://|\bwww\.`,
    String.raw`\bdoi ?[:.]|\b10\.\d{4,}/`,
    String.raw`\bet al\b`,
    String.raw`\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? (?:\d{1,2}, )?\d{4}\b`,
  ].join("|"),
  "iu",
);
const SOURCE_OR_NOTE = /^(?:sources?|notes?|quellen?|anmerkung(?:en)?|fuentes?|notas?)\s*:/iu;
/** Bank details, telephone numbers and mail addresses: the head or foot of a letter. */
const CONTACT = /\b(?:iban|bic|swift|tel|phone|telefon|fax)\b|[\w.]@\w+\.\w/iu;
/** A post code with its town or state. */
const POST_CODE = /\b\d{5} \p{Lu}\p{Ll}{2}|\b[A-Z]{2} \d{5}\b/u;
/** An entry of a bibliography begins with a number, a family name and initials. */
const REFERENCE_START = /^(?:\[?\d{1,3}[\].]*\s+)?\p{Lu}[\p{L}'’-]+,?\s(?:\p{Lu}\.|\p{Lu}{1,2}[,.\s])/u;
const YEAR = /\b(?:1[6-9]|20)\d{2}[a-z]?\b/u;

/** Reports whether a text has a phrase that publishers and printers stamp on pages. */
export function isStamp(text: string): boolean {
  return STAMP.test(text) || WEAK_STAMP.test(text);
}

/**
 * Returns how much speaks for a block at the edge of a page being a running head or foot, from `RUNNING_HEAD_EVIDENCE` on
 * enough: its place, what parts it from the text, a page number, stamps, and the way it is set.
 */
export function marginEvidence(block: MarginBlock, page: MarginPage): number {
  const text = block.lines.map((line) => line.text).join(" ");
  if (block.number === "counting") return RUNNING_HEAD_EVIDENCE;
  if (block.lines.every((line) => isPageNumber(line.text)))
    return isLoneNumber(block, page) ? RUNNING_HEAD_EVIDENCE : 0;
  if (isFootnote(block, page) || isSourceOrReference(block, text) || isContact(text)) return 0;
  const isPlaced = block.isRecurring || block.isRuledOff || isAtEdge(block, page);
  const hasStamp = STAMP.test(text) || (isPlaced && WEAK_STAMP.test(text));
  const words = text.split(/\s+/).length;
  if (words > (hasStamp ? MAX_STAMP_WORDS : MAX_WORDS)) return 0;
  const own = (hasStamp ? 2 : 0) + numberEvidence(block.lines) + styleEvidence(block, page);
  // Place alone does not tell a head from a title or a last line.
  if (own === 0 && !block.isRuledOff) return 0;
  return own + placeEvidence(block, page) - textEvidence(block, page, text, hasStamp);
}

/** Reports whether a number stands alone, as the number of its page in the file or at the very edge. */
function isLoneNumber(block: MarginBlock, page: MarginPage): boolean {
  const isListed = block.neighbours[0]?.some((line) => isPageNumber(line.text)) === true;
  const isTitle = block.lines.some((line) => isTitleSize(line, page.bodySize));
  if (block.lines.length > 1 || isListed || isTitle) return false;
  return block.number === "own" || (block.gap >= WIDE_GAP && isAtEdge(block, page));
}

function isSourceOrReference({ lines, neighbours }: MarginBlock, text: string): boolean {
  const isReference = (some: readonly Line[]): boolean =>
    some.some((line) => REFERENCE_START.test(line.text)) && YEAR.test(some.map((line) => line.text).join(" "));
  return SOURCE_OR_NOTE.test(text) || (isReference(lines) && isReference(neighbours.flat()));
}

/** Reports whether a text has the address or bank details of a sender, and no stamp of a publisher. */
function isContact(text: string): boolean {
  return (CONTACT.test(text) || POST_CODE.test(text)) && !STAMP.test(text);
}

function isAtEdge({ lines, side }: MarginBlock, { height }: MarginPage): boolean {
  return lines.every((line) =>
    side === "top" ? line.bottom < height * EDGE_SHARE : line.top > height * (1 - EDGE_SHARE),
  );
}

/** A page number beside other words: at an end of the line, most plainly after a gap. */
function numberEvidence(lines: readonly Line[]): number {
  const segments = lines.flatMap((line) => line.segments.map(({ runs }) => runs.map((run) => run.text).join("")));
  if (segments.length > 1 && segments.some((text) => isPageNumber(text.trim()))) return 2;
  const isShort = (text: string): boolean => text.split(/\s+/).length <= 14;
  const hasNumber = lines.some(
    ({ text }) =>
      isShort(text) &&
      (/^\d{1,4}\s+[\p{L}(|•·]/u.test(text) || /[\p{L}.,)|•·]\s+[|•·]?\s*\d{1,4}$/u.test(text)) &&
      !/^(?:\d\s*)?(?:table|figure|fig\.|chapter|section|part|step|appendix)\b/iu.test(text),
  );
  return hasNumber ? 1 : 0;
}

function styleEvidence({ lines }: MarginBlock, page: MarginPage): number {
  const letters = lines
    .map((line) => line.text)
    .join("")
    .replace(/[^\p{L}]/gu, "");
  const isCapitals = letters.length > 3 && letters === letters.toUpperCase() && letters !== letters.toLowerCase();
  const isItalic =
    !page.isItalicText && lines.every((line) => line.segments.every(({ runs }) => runs.every((run) => run.isItalic)));
  const isSmall = lines.every((line) => line.size <= page.bodySize * 0.93);
  return (isSmall ? 1 : 0) + (isCapitals || isItalic ? 1 : 0);
}

function placeEvidence(block: MarginBlock, page: MarginPage): number {
  const isApart = block.lines.some((line) => line.segments.length > 1);
  return (
    (isAtEdge(block, page) ? 1 : 0) + (block.gap >= WIDE_GAP ? 1 : 0) + (block.isRuledOff ? 1 : 0) + (isApart ? 1 : 0)
  );
}

/** Returns how much speaks for text: a title, a sentence, an item, a sum or a field of a form. */
function textEvidence(block: MarginBlock, page: MarginPage, text: string, hasStamp: boolean): number {
  const isTitle = block.lines.some((line) => isTitleSize(line, page.bodySize));
  const isField =
    (/[\p{L})]:(?:\s|$)/u.test(text) || /^(?:sub-?|grand )?(?:total|balance)\b/iu.test(text)) && !hasStamp;
  const isSentence = /[.!?。！？]$/u.test(text) && text.split(/\s+/).length > 5 && !hasStamp;
  const isContinued = /^\p{Ll}{2}/u.test(text) && !hasStamp;
  return (isTitle ? 3 : 0) + (isField ? 2 : 0) + (isSentence ? 2 : 0) + (isContinued ? 2 : 0);
}

/** Reports whether a block at the foot is a note: a small raised mark, or a number, and then words of a sentence. */
function isFootnote({ lines, side }: MarginBlock, page: MarginPage): boolean {
  const first = lines[0];
  if (side === "top" || first === undefined || first.size > page.bodySize) return false;
  const [mark, next] = first.segments.flatMap(({ runs }) => runs);
  if (mark !== undefined && /^[*†‡§¶]+/u.test(mark.text)) return true;
  if (mark === undefined || next === undefined || !/^\[?\d{1,3}[\].)]?$/.test(mark.text.trim())) return false;
  return mark.size < next.size * 0.9 && next.left - mark.right < next.size;
}

/** Returns the horizontal lines between two heights that are as wide as a line of text. */
export function rulesBetween(rules: readonly RulingLine[], top: number, bottom: number, width: number): RulingLine[] {
  return rules.filter(
    (rule) =>
      isHorizontal(rule) && rule.top >= top - 1 && rule.bottom <= bottom + 1 && rule.right - rule.left > width * 0.15,
  );
}
