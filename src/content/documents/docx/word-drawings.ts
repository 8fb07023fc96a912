import { findElement, parseXml } from "../containers/xml-tree.ts";
import { ZipFiles } from "../containers/zip.ts";
import { chartToHtml, diagramToHtml } from "../drawings/chart.ts";
import { ommlToMathml } from "../drawings/omml.ts";
import { readRelations } from "../pptx/relations.ts";
import { replaceElements } from "./word-xml.ts";

/** Marks around the number of a part that is put in after mammoth has written the rest. */
const OPEN = "\uE000";
const CLOSE = "\uE001";
const PLACES = /\uE000(\d{1,6})\uE001/g;
const PLACES_OF_BLOCKS = /<p>\uE000(\d{1,6})\uE001<\/p>/g;
/** Formulas and drawings of one document that are read. */
const MAX_PARTS = 5_000;
/** Characters of their HTML that are put in: the text of a document may have marks of its own, any number of times. */
const MAX_PUT_IN = 20_000_000;
/** Parts that drawings refer to, and the relations that name them. */
const DRAWN = /\.rels$|(?:^|\/)(?:charts|diagrams)\//i;
const TEXT_BOX = '<w:pict><v:textbox xmlns:v="urn:schemas-microsoft-com:vml">';
const TEXT_BOX_END = "</v:textbox></w:pict>";

/** Formulas, charts, diagrams and text boxes of a Word document, none of which mammoth reads from drawings. */
export class WordDrawings {
  readonly #files: ZipFiles;
  readonly #parts: string[] = [];

  constructor(files: ZipFiles) {
    // The text, which is large, is not held.
    this.#files = new ZipFiles(
      files.budget,
      [...files].filter(([name]) => DRAWN.test(name)),
    );
  }

  /** Replaces formulas and drawings in the XML of a part by places for them, and text boxes by older ones. */
  replaceIn(text: string, path: string): string {
    const withFormulas = replaceElements(withAlternatives(text), ["m:oMathPara", "m:oMath"], (formula) =>
      this.#formula(formula),
    );
    if (!withFormulas.includes("<w:drawing")) return withFormulas;
    const relations = readRelations(this.#files, path);
    return replaceElements(withFormulas, ["w:drawing"], (drawing) => {
      const box = textBoxesOf(drawing);
      if (box !== "") return TEXT_BOX + box + TEXT_BOX_END;
      const [, kind, id = ""] = /<(c:chart|dgm:relIds)\s[^<>]*?r:(?:id|dm)="([^"<>]*)"/.exec(drawing) ?? [];
      const target = relations.get(id)?.target;
      if (kind === undefined || target === undefined || this.#isFull()) return drawing;
      const html = kind === "c:chart" ? chartToHtml(this.#files, target) : diagramToHtml(this.#files, target);
      if (html === "") return drawing;
      return `${TEXT_BOX}<w:txbxContent><w:p>${this.#place(html)}</w:p></w:txbxContent>${TEXT_BOX_END}`;
    });
  }

  /** Puts the formulas and drawings into the HTML. */
  putInto(html: string): string {
    const { budget } = this.#files;
    const left = budget.within({ bytes: MAX_PUT_IN });
    const part = (_: string, number: string): string => {
      const own = this.#parts[Number(number)] ?? "";
      if (left.takeBytes(own.length)) return own;
      budget.cut("the drawings of the document");
      return "";
    };
    return html
      .replaceAll(CLOSE + OPEN, `${CLOSE} ${OPEN}`)
      .replace(PLACES_OF_BLOCKS, (whole, number: string) => {
        const block = part(whole, number);
        return block.startsWith("<math") ? `<p>${block}</p>` : block;
      })
      .replace(PLACES, part);
  }

  #formula(xml: string): string {
    if (this.#isFull()) return "";
    const tree = parseXml(xml, this.#files.budget);
    const formula = findElement(tree, "m:oMathPara") ?? findElement(tree, "m:oMath");
    return formula === undefined ? "" : this.#place(ommlToMathml(formula));
  }

  #isFull(): boolean {
    if (this.#parts.length < MAX_PARTS) return false;
    this.#files.budget.cut("the drawings of the document");
    return true;
  }

  #place(html: string): string {
    this.#parts.push(html);
    return `<w:r><w:t>${OPEN}${this.#parts.length - 1}${CLOSE}</w:t></w:r>`;
  }
}

const ALTERNATIVES = /<(\/?)mc:(AlternateContent|Choice|Fallback)(?:\s[^<>]*)?>/g;
/** Text, and drawings of which a fallback has a picture only. */
const READ = /<w:t[ >]|<c:chart\s|<dgm:relIds\s/;

/** Alternatives within alternatives that are read; the marks of deeper ones are removed. Each level is searched once. */
const MAX_NESTED = 16;

interface Alternative {
  outside: string;
  Choice: string;
  Fallback: string;
  /** Choices after the first one. */
  others: string;
  part: "outside" | "Choice" | "Fallback" | "others";
}

/**
 * Puts one alternative in the place of each `mc:AlternateContent` (ECMA-376 part 3 § 9.3): the fallback, which older
 * readers know, or the first choice where only this one has something to read. Otherwise its text counts twice.
 */
function withAlternatives(text: string): string {
  if (!text.includes("<mc:AlternateContent")) return text;
  const empty: Alternative = { outside: "", Choice: "", Fallback: "", others: "", part: "outside" };
  const root = { ...empty };
  const open = [root];
  const add = (piece: string): void => {
    const to = open.at(-1) ?? root;
    to[to.part] += piece;
  };
  const close = (): void => {
    const { Choice, Fallback } = open.pop() ?? root;
    add(READ.test(Fallback) || !READ.test(Choice) ? Fallback || Choice : Choice);
  };
  let from = 0;
  let deeper = 0;
  for (const { 0: tag, 1: slash, 2: name, index } of text.matchAll(ALTERNATIVES)) {
    add(text.slice(from, index));
    from = index + tag.length;
    const last = open.at(-1) ?? root;
    if (name === "AlternateContent" && slash === "" && open.length > MAX_NESTED) deeper++;
    else if (deeper > 0) deeper -= name === "AlternateContent" && slash === "/" ? 1 : 0;
    else if (name === "AlternateContent") {
      if (slash === "") open.push({ ...empty });
      else if (open.length > 1) close();
    } else if (open.length > 1 && !tag.endsWith("/>")) {
      const part = name === "Choice" ? "Choice" : "Fallback";
      last.part = slash === "/" ? "outside" : part === "Choice" && last.Choice !== "" ? "others" : part;
    }
  }
  add(text.slice(from));
  while (open.length > 1) close();
  return root.outside;
}

/** Returns the contents of text boxes; empty for a drawing with others inside, which cannot be told apart. */
function textBoxesOf(drawing: string): string {
  if (drawing.lastIndexOf("<w:drawing") > 0) return "";
  return (drawing.match(/<w:txbxContent>(?:(?!<w:txbxContent>)[^])*?<\/w:txbxContent>/g) ?? []).join("");
}
