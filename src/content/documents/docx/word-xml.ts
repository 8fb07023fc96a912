import { decodeHTMLStrict } from "entities";
import { countElements } from "../xml-limit.ts";

/** Elements of Word documents without content that only concern looks, which markdown does not show. */
const LOOKS = [
  "adjustRightInd|autoSpaceDE|autoSpaceDN|autoHyphenation|bCs|bar|between|bottom|cantSplit|color|contextualSpacing|cs",
  "effect|end|framePr|fitText|gridCol|iCs|ind|insideH|insideV|jc|keepLines|keepNext|kern|kinsoku|lang",
  "lastRenderedPageBreak|left|lsdException|mirrorIndents|noProof|noWrap|outlineLvl|overflowPunct|pageBreakBefore",
  "position|proofErr|rFonts|right|rsid|shd|snapToGrid|spacing|start|suppressAutoHyphens|suppressLineNumbers|sz|szCs",
  "gridAfter|gridBefore|hideMark|locked|next|qFormat|semiHidden|tblStyleColBandSize|tblStyleRowBandSize|uiPriority",
  "unhideWhenUsed|wAfter|wBefore|tab|tblInd|tblLayout|tblLook|tblW|tblCellSpacing|tblOverlap|tblpPr|tcFitText|tcW|textAlignment|textDirection|top",
  "topLinePunct|tl2br|tr2bl|trHeight|vAlign|w|widowControl|wordWrap",
];
/** A tab in the text has no attributes; one among the properties has. */
const WITHOUT_CONTENT = new RegExp(`<w:(?:${LOOKS.join("|").replace("|tab|", "|tab(?= w:)|")})(?:\\s[^<>]*)?/>`, "g");
/** The same with content, when it has none left. */
const EMPTY =
  /<w:(pBdr|tabs|tblBorders|tblCellMar|tblGrid|tcBorders|tcMar|tcPr|trPr|rPr|pPr|tblPr|tblStylePr|latentStyles)(?:\s[^<>]*)?(?:\/>|>\s*<\/w:\1>)/g;
/** A large document is gone through in parts: all of its copies would not fit into an isolate. */
const PART_CHARACTERS = 400_000;
/** A part without a start of a paragraph is cut anywhere then: the looks at the cut stay. */
const MAX_PART_CHARACTERS = 4 * PART_CHARACTERS;
/** The start of a paragraph or of a style, which no properties hold. */
const PART_START = /<w:(?:p|style)[ >]/g;
/** Elements that become fewer later. */
const LATER_LESS = /<(?:mc:AlternateContent|w:drawing|w:vanish|m:oMath)/;
const LONGEST_START = "<w:style ".length;
const REVISION_ATTRIBUTES = / (?:w:rsid\w{0,12}|w14:(?:para|text)Id)="[^"<>]*"/g;
/** Properties are empty after the properties within them are. */
const PASSES = 3;
/** Former properties of a paragraph or a run, in front of a revision; each is read up to the next start or end of one. */
const FORMER_PROPERTIES = /<w:(pPrChange|rPrChange)(?: [^<>]*)?>(?:(?!<\/?w:\1[ >])[\s\S])*<\/w:\1>/g;
const REFERENCE = /&(?!(?:amp|lt|gt|quot|apos);|#\d{1,7};|#x[\da-f]{1,6};)([A-Za-z][\w.-]{0,60});/g;

/**
 * Removes what only concerns the looks of a Word document, ECMA-376 part 1 § 17.3, in linear time: in documents with
 * large tables these are nine of ten elements. The text comes in pieces, so that it never is in memory as a whole, and ends behind
 * a number of elements, drawings and hidden text not counted.
 */
export async function withoutLooks(
  pieces: Iterable<string> | AsyncIterable<string>,
  maxElements = Number.POSITIVE_INFINITY,
): Promise<string> {
  const kept: string[] = [];
  let elements = 0;
  let text = "";
  let searched = PART_CHARACTERS;
  for await (const piece of pieces) {
    text += piece;
    if (text.length < searched) continue;
    PART_START.lastIndex = searched;
    // A start may be cut in two.
    const last = text.length - LONGEST_START;
    const end = PART_START.exec(text)?.index ?? (last > MAX_PART_CHARACTERS ? last : undefined);
    searched = end === undefined ? last : PART_CHARACTERS;
    if (end === undefined) continue;
    const part = withoutLooksIn(text.slice(0, end));
    kept.push(part);
    text = text.slice(end);
    if (!LATER_LESS.test(part)) elements += countElements(part);
    if (elements > maxElements) return kept.join("");
  }
  return kept.join("") + withoutLooksIn(text);
}

function withoutLooksIn(part: string): string {
  let kept = part.replace(FORMER_PROPERTIES, "").replace(WITHOUT_CONTENT, "").replace(REVISION_ATTRIBUTES, "");
  for (let pass = 0; pass < PASSES; pass++) kept = kept.replace(EMPTY, "");
  return kept;
}

/**
 * Replaces references to entities that XML does not know: those of HTML become their characters, others are removed,
 * since what a document type declares is not read.
 */
export function withoutEntities(text: string): string {
  return text.replace(REFERENCE, (whole) => {
    const decoded = decodeHTMLStrict(whole);
    return decoded === whole ? "" : decoded;
  });
}

/** Elements around runs of which mammoth reads nothing: simple fields and a direction of the text. */
const AROUND_RUNS = /<\/?w:(?:fldSimple|dir|bdo)(?:\s[^<>]*)?>/g;
const RUBY_BASE = "<w:rubyBase";

/**
 * Puts the runs in the place of elements around them that mammoth does not read (ECMA-376 part 1 § 17.16.19, § 17.3.2.3 and
 * § 17.3.2.8), and the base text in the place of ruby (§ 17.3.3.25). In linear time.
 */
export function withPlainRuns(text: string): string {
  const unwrapped = text.replace(AROUND_RUNS, "");
  return replaceElements(unwrapped, ["w:ruby"], (ruby) => {
    const start = ruby.indexOf(">", ruby.indexOf(RUBY_BASE)) + 1;
    const end = ruby.indexOf("</w:rubyBase>", start);
    return ruby.includes(RUBY_BASE) && end !== -1 ? ruby.slice(start, end) : "";
  });
}

/** Replaces elements with one of the names, each from its start to the next end, in linear time. */
export function replaceElements(text: string, names: readonly string[], write: (xml: string) => string): string {
  const kept: string[] = [];
  let from = 0;
  const start = new RegExp(`<(${names.join("|")})[\\s>]`, "g");
  for (const { 1: name = "", index } of text.matchAll(start)) {
    if (index < from) continue;
    const end = text.indexOf(`</${name}>`, index);
    if (end === -1) break;
    kept.push(text.slice(from, index), write(text.slice(index, end + name.length + 3)));
    from = end + name.length + 3;
  }
  return kept.join("") + text.slice(from);
}

/** Runs with properties that name `w:vanish`, each up to its own end; without drawings and other runs in them. */
const HIDDEN_RUN =
  /<w:r(?: [^<>]*)?>\s*<w:rPr(?: [^<>]*)?>(?:(?!<\/?w:rPr[ >]|<w:vanish)[\s\S])*<w:vanish(?: w:val="(?:1|true|on)")?\s*\/>(?:(?!<\/?w:r[ >]|<w:drawing|<w:pict)[\s\S])*<\/w:r>/g;
const FIELD_MARKS = /<w:fldChar\s[^<>]*\/>/g;

/** Removes text that is formatted as hidden, ECMA-376 part 1 § 17.3.2.41; marks of fields stay, since they come in pairs. */
export function withoutHidden(text: string): string {
  if (!text.includes("<w:vanish")) return text;
  return text.replace(HIDDEN_RUN, (run) => {
    const marks = run.match(FIELD_MARKS) ?? [];
    return marks.length === 0 ? "" : `<w:r>${marks.join("")}</w:r>`;
  });
}
