import { findElement, parseXml } from "../containers/xml-tree.ts";
import type { ZipFiles } from "../containers/zip.ts";
import { chartToHtml, diagramToHtml } from "../drawings/chart.ts";
import { ommlToMathml } from "../drawings/omml.ts";
import { readRelations } from "../pptx/relations.ts";

/** Marks around the number of a part that is put in after mammoth has written the rest. */
const OPEN = "\uE000";
const CLOSE = "\uE001";
const PLACES = /\uE000(\d{1,6})\uE001/g;
const PLACES_OF_BLOCKS = /<p>\uE000(\d{1,6})\uE001<\/p>/g;
/** Formulas and drawings of one document that are read. */
const MAX_PARTS = 5_000;
const TEXT_BOX = '<w:pict><v:textbox xmlns:v="urn:schemas-microsoft-com:vml">';
const TEXT_BOX_END = "</v:textbox></w:pict>";

/** Formulas, charts, diagrams and text boxes of a Word document, none of which mammoth reads from drawings. */
export class WordDrawings {
  readonly #files: ZipFiles;
  readonly #parts: string[] = [];

  constructor(files: ZipFiles) {
    this.#files = files;
  }

  /** Replaces formulas and drawings in the XML of a part by places for them, and text boxes by older ones. */
  replaceIn(text: string, path: string): string {
    const withFormulas = replaceElements(text, ["m:oMathPara", "m:oMath"], (formula) => this.#formula(formula));
    if (!withFormulas.includes("<w:drawing")) return withFormulas;
    const relations = readRelations(this.#files, path);
    const shown = replaceElements(withFormulas, ["mc:AlternateContent"], withoutChoice);
    return replaceElements(shown, ["w:drawing"], (drawing) => {
      const box = textBoxesOf(drawing);
      if (box !== "") return TEXT_BOX + box + TEXT_BOX_END;
      const [, kind, id = ""] = /<(c:chart|dgm:relIds)\s[^<>]*?r:(?:id|dm)="([^"<>]*)"/.exec(drawing) ?? [];
      const target = relations.get(id)?.target;
      if (kind === undefined || target === undefined) return drawing;
      const html = kind === "c:chart" ? chartToHtml(this.#files, target) : diagramToHtml(this.#files, target);
      if (html === "") return drawing;
      return `${TEXT_BOX}<w:txbxContent><w:p>${this.#place(html)}</w:p></w:txbxContent>${TEXT_BOX_END}`;
    });
  }

  /** Puts the formulas and drawings into the HTML. */
  putInto(html: string): string {
    const part = (_: string, number: string): string => this.#parts[Number(number)] ?? "";
    return html
      .replace(PLACES_OF_BLOCKS, (whole, number: string) => {
        const block = part(whole, number);
        return block.startsWith("<math") ? `<p>${block}</p>` : block;
      })
      .replace(PLACES, part);
  }

  #formula(xml: string): string {
    const tree = parseXml(xml, this.#files.budget);
    const formula = findElement(tree, "m:oMathPara") ?? findElement(tree, "m:oMath");
    return formula === undefined || this.#parts.length >= MAX_PARTS ? "" : this.#place(ommlToMathml(formula));
  }

  #place(html: string): string {
    this.#parts.push(html);
    return `<w:r><w:t>${OPEN}${this.#parts.length - 1}${CLOSE}</w:t></w:r>`;
  }
}

/** Returns the choice of an alternative that has no fallback, which is all that mammoth reads. */
function withoutChoice(alternative: string): string {
  const isPlain = !alternative.includes("<mc:Fallback") && alternative.lastIndexOf("<mc:AlternateContent") === 0;
  return isPlain ? alternative.replace(/<\/?mc:(?:AlternateContent|Choice)(?:\s[^<>]*)?>/g, "") : alternative;
}

/** Returns the contents of text boxes; empty for a drawing with others inside, which cannot be told apart. */
function textBoxesOf(drawing: string): string {
  if (drawing.lastIndexOf("<w:drawing") > 0) return "";
  return (drawing.match(/<w:txbxContent>(?:(?!<w:txbxContent>)[^])*?<\/w:txbxContent>/g) ?? []).join("");
}

/** Replaces elements with one of the names, each from its start to the next end, in linear time. */
function replaceElements(text: string, names: readonly string[], write: (xml: string) => string): string {
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
