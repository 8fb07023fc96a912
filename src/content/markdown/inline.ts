import type { ElementNode } from "../tree.ts";
import { inlineCode } from "./code.ts";
import { BREAK, FORMULA, PLAIN, type Emitter, type InlineContext } from "./emitter.ts";
import { collapse, escapeText, isPunctuation, isWordCharacter } from "./escape.ts";
import { imageMarkdown } from "./image.ts";
import { linkMarkdown, embeddedVideo } from "./link.ts";
import { readFormula } from "./math.ts";

const STRONG_TAGS = new Set(["b", "strong"]);
const EMPHASIS_TAGS = new Set(["i", "em", "cite", "dfn", "var"]);
const DELETED_TAGS = new Set(["del", "s", "strike"]);
const CODE_TAGS = new Set(["code", "kbd", "samp", "tt"]);

/** A piece of running text: plain, or to be put between delimiters once its neighbours are known. */
interface Piece {
  kind: "text" | "strong" | "emphasis" | "deleted";
  text: string;
}

/** Running text of some nodes. Neighbouring pieces of one kind are joined before they are marked. */
export function inlineMarkdown(
  emitter: Emitter,
  nodes: readonly (ElementNode | string)[],
  context: InlineContext = PLAIN,
): string {
  const pieces: Piece[] = [];
  for (const node of nodes) addPiece(pieces, pieceOf(emitter, node, context));
  let text = "";
  for (const [index, piece] of pieces.entries()) {
    const next = firstCharacter(pieces, index + 1);
    text = append(text, piece.kind === "text" ? piece.text : mark(piece, text.slice(-1), next));
  }
  return text;
}

function pieceOf(emitter: Emitter, child: ElementNode | string, context: InlineContext): Piece {
  if (typeof child === "string") return { kind: "text", text: escapeText(collapse(child), context.inLink) };
  const { tag } = child;
  if (STRONG_TAGS.has(tag) && !context.inStrong) {
    return { kind: "strong", text: emitter.inline(child, { ...context, inStrong: true }) };
  }
  if (EMPHASIS_TAGS.has(tag) && !context.inEmphasis) {
    return { kind: "emphasis", text: emitter.inline(child, { ...context, inEmphasis: true }) };
  }
  if (DELETED_TAGS.has(tag)) return { kind: "deleted", text: emitter.inline(child, context) };
  return { kind: "text", text: elementText(emitter, child, context) };
}

function elementText(emitter: Emitter, element: ElementNode, context: InlineContext): string {
  const { tag } = element;
  if (CODE_TAGS.has(tag)) return inlineCode(emitter, element, context);
  switch (tag) {
    case "br":
      return BREAK;
    case "a":
      return context.inLink ? emitter.inline(element, context) : linkMarkdown(emitter, element);
    case "img":
      return imageMarkdown(emitter, element);
    case "q":
      return `"${emitter.inline(element, context).trim()}"`;
    case "sup":
    case "sub":
      return raised(tag, emitter.inline(element, context));
    case "rt":
      return wrapped("(", emitter.inline(element, context).trim(), ")");
    case "rp":
    case "wbr":
      return "";
    case "input":
      return isTaskBox(element) ? checkbox(element) : "";
    case "iframe":
    case "video":
    case "audio":
      return embeddedVideo(emitter, element);
    default:
      return formulaText(element) ?? emitter.inline(element, context);
  }
}

function formulaText(element: ElementNode): string | undefined {
  const formula = readFormula(element);
  if (formula === undefined) return undefined;
  return formula.isDisplay ? `${FORMULA}$$\n${formula.tex}\n$$${FORMULA}` : `$${formula.tex}$`;
}

/** References such as `[1]` need no markup; the rest keeps its place above or below the line in HTML, which GFM shows. */
function raised(tag: "sup" | "sub", inner: string): string {
  const text = inner.trim();
  if (text === "") return "";
  return text.startsWith("[") || text.startsWith("\\[") ? text : `<${tag}>${text}</${tag}>`;
}

/** A box in a list item is a task's; elsewhere it is a form's. */
function isTaskBox({ attributes, parent }: ElementNode): boolean {
  if (attributes["type"]?.toLowerCase() !== "checkbox") return false;
  return [parent, parent?.parent, parent?.parent?.parent].some((ancestor) => ancestor?.tag === "li");
}

function checkbox({ attributes }: ElementNode): string {
  return attributes["checked"] === undefined ? "[ ] " : "[x] ";
}

function wrapped(before: string, text: string, after: string): string {
  return text === "" ? "" : before + text + after;
}

/** Joins neighbours of one kind: `<b>a</b><b>b</b>` is one bold run. */
function addPiece(pieces: Piece[], piece: Piece): void {
  if (piece.text === "") return;
  const last = pieces.at(-1);
  if (last !== undefined && last.kind === piece.kind) last.text = append(last.text, piece.text);
  else pieces.push(piece);
}

/** A link right behind an exclamation mark would read as an image. Two spaces where elements meet are one. */
function append(text: string, more: string): string {
  if (more.startsWith("[") && text.endsWith("!") && !text.endsWith("\\!")) return `${text.slice(0, -1)}\\!${more}`;
  return text.endsWith(" ") && more.startsWith(" ") ? text + more.slice(1) : text + more;
}

function firstCharacter(pieces: Piece[], from: number): string {
  return pieces[from]?.text.charAt(0) ?? "";
}

const EDGES = new RegExp(`^([\\s${BREAK}${FORMULA}]*)([\\s\\S]*?)([\\s${BREAK}${FORMULA}]*)$`);

/**
 * Puts delimiters around a run so that they are seen as such (CommonMark § 6.2): spaces stay outside, and so does
 * punctuation at an edge where a word follows, since `**a:**b` would close nothing.
 */
function mark({ kind, text }: Piece, before: string, after: string): string {
  const [, lead = "", inner = "", tail = ""] = EDGES.exec(text) ?? [];
  if (inner === "" || inner.includes(FORMULA)) return text;
  const previous = lead === "" ? before : " ";
  const next = tail === "" ? after : " ";
  const start = isWordCharacter(previous) ? matchOf(LOOSE_START, inner) : "";
  const end = isWordCharacter(next) ? matchOf(LOOSE_END, inner.slice(start.length)) : "";
  const core = inner.slice(start.length, inner.length - end.length);
  if (core === "") return text;
  const left = start === "" ? previous : start;
  const right = end === "" ? next : end;
  const [open, close] = delimitersOf(kind, core, { left, right });
  return lead + start + open + core + close + end + tail;
}

/** Punctuation and spaces at an edge that are no markup of their own: a link's bracket must not be torn off. */
const LOOSE = "(?: |\\\\[!-/:-@[-`{-~]|(?![[\\]()`\\\\<>!*_~&;])[\\p{P}\\p{S}])*";
const LOOSE_START = new RegExp(`^${LOOSE}`, "u");
const LOOSE_END = new RegExp(`${LOOSE}$`, "u");

/**
 * What stands around a run. Where markup at the run's edge meets a word no delimiter would be seen as one, and HTML,
 * which GFM shows as well, takes its place.
 */
function delimitersOf(
  kind: Piece["kind"],
  core: string,
  { left, right }: { left: string; right: string },
): [string, string] {
  const hidesOpening = isWordCharacter(left.slice(-1)) && isPunctuation(core.charAt(0));
  const hidesClosing = isWordCharacter(right.charAt(0)) && isPunctuation(core.slice(-1));
  if (hidesOpening || hidesClosing) return [`<${HTML_TAGS[kind]}>`, `</${HTML_TAGS[kind]}>`];
  const delimiter = delimiterOf(kind, left, right);
  return [delimiter, delimiter];
}

const HTML_TAGS = { text: "span", strong: "strong", emphasis: "em", deleted: "del" } as const;

/** Underscores cannot mark a part of a word, asterisks can. */
function delimiterOf(kind: Piece["kind"], previous: string, next: string): string {
  if (kind === "strong") return "**";
  if (kind === "deleted") return "~~";
  return isWordCharacter(previous.slice(-1)) || isWordCharacter(next) || next.startsWith("_") ? "*" : "_";
}

function matchOf(pattern: RegExp, text: string): string {
  return pattern.exec(text)?.[0] ?? "";
}
