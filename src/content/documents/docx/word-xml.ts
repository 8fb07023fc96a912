import { decodeHTMLStrict } from "entities";

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
const PART_START = /<w:(?:p|style)[ >]/g;
const REVISION_ATTRIBUTES = / (?:w:rsid\w{0,12}|w14:(?:para|text)Id)="[^"<>]*"/g;
/** Properties are empty after the properties within them are. */
const PASSES = 3;
const REFERENCE = /&(?!(?:amp|lt|gt|quot|apos);|#\d{1,7};|#x[\da-f]{1,6};)([A-Za-z][\w.-]{0,60});/g;

/**
 * Removes what only concerns the looks of a Word document, ECMA-376 part 1 § 17.3, in linear time: in documents with
 * large tables these are nine of ten elements.
 */
export function withoutLooks(text: string): string {
  const kept: string[] = [];
  for (let from = 0; from < text.length;) {
    const to = endOfPart(text, from);
    kept.push(withoutLooksIn(text.slice(from, to)));
    from = to;
  }
  return kept.join("");
}

function withoutLooksIn(part: string): string {
  let kept = part.replace(WITHOUT_CONTENT, "").replace(REVISION_ATTRIBUTES, "");
  for (let pass = 0; pass < PASSES; pass++) kept = kept.replace(EMPTY, "");
  return kept;
}

/** Returns the end of a part of a document: the start of a paragraph or of a style, which no properties hold. */
function endOfPart(text: string, from: number): number {
  const far = from + PART_CHARACTERS;
  if (far >= text.length) return text.length;
  PART_START.lastIndex = far;
  return PART_START.exec(text)?.index ?? text.length;
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
