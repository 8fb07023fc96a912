import { isAppError } from "../../../core/errors.ts";
import type { WorkBudget } from "../../../core/work-budget.ts";
import { childElement, childElements, findElement, findElements, textOf } from "../containers/xml-tree.ts";
import type { XmlElement } from "../containers/xml-tree.ts";
import { readZip, type ZipFiles, zipXml } from "../containers/zip.ts";
import { chartToHtml, diagramToHtml } from "../drawings/chart.ts";
import { pictureText } from "../drawings/picture-text.ts";
import { escapeHtml, wrap } from "../html/html-text.ts";
import { htmlToMarkdown } from "../html/html-to-markdown.ts";
import { readRelations, type Relation } from "../pptx/relations.ts";

const PARTS =
  /^xl\/(?:workbook\.xml|_rels\/|(?:worksheets|chartsheets)\/_rels\/|drawings\/|charts\/chart|diagrams\/data)/i;
const READ = /\.(?:xml|rels)$/i;
const WORKBOOK = "xl/workbook.xml";
/** Charts, diagrams, text boxes and pictures of one workbook that are read. */
const MAX_DRAWINGS = 2_000;
/** Characters of a repeated part that count as one step of the budget. */
const CHARACTERS_PER_STEP = 4;
const LEFT_OUT = "charts and text boxes of the workbook";

/**
 * Returns the text boxes, charts, diagrams and descriptions of pictures of each sheet of an Excel workbook as markdown, by the
 * sheet's name (ECMA-376 part 1 § 20.5). Empty for other files, and where drawings are damaged or too large: tables
 * are read without them, and the budget names them.
 */
export function sheetDrawings(bytes: Uint8Array, budget: WorkBudget): ReadonlyMap<string, string> {
  const drawings = new Map<string, string>();
  try {
    const files = readZip(bytes, (name) => PARTS.test(name) && READ.test(name), budget);
    if (![...files.keys()].some((name) => /\/drawings\/[^/]*\.xml$/i.test(name))) return drawings;
    const sheets = readRelations(files, WORKBOOK);
    let left = MAX_DRAWINGS;
    const known = new Map<string, string>();
    for (const sheet of findElements(zipXml(files, WORKBOOK), "sheet")) {
      const path = sheets.get(sheet.attributes["r:id"] ?? "")?.target;
      const drawing = path === undefined ? undefined : targetOf(readRelations(files, path), "drawing");
      if (drawing === undefined) continue;
      const all = shapesOf(zipXml(files, drawing));
      const shapes = all.slice(0, left);
      if (shapes.length < all.length) budget.cut(LEFT_OUT);
      left -= shapes.length;
      const relations = readRelations(files, drawing);
      const html = shapes.map((shape) => shapeToHtml(shape, { relations, files, known })).join("");
      drawings.set(sheet.attributes["name"] ?? "", htmlToMarkdown(html, "https://example.com/"));
    }
  } catch (error) {
    if (!isAppError(error)) throw error;
    budget.cut(LEFT_OUT);
  }
  return drawings;
}

function targetOf(relations: ReadonlyMap<string, Relation>, type: string): string | undefined {
  return [...relations.values()].find((relation) => relation.type === type)?.target;
}

/** Returns shapes, charts and pictures in their order, groups and alternatives opened. */
function shapesOf(parent: XmlElement): XmlElement[] {
  return childElements(parent).flatMap((element) => {
    if (["xdr:sp", "xdr:graphicFrame", "xdr:pic"].includes(element.name)) return [element];
    const choice = element.name === "mc:AlternateContent" ? childElement(element, "mc:Choice") : undefined;
    return shapesOf(choice ?? element);
  });
}

/** The parts that shapes refer to, and the HTML of those that were read. */
interface Parts {
  relations: ReadonlyMap<string, Relation>;
  files: ZipFiles;
  known: Map<string, string>;
}

function shapeToHtml(shape: XmlElement, { relations, files, known }: Parts): string {
  if (!files.budget.take()) return "";
  if (shape.name === "xdr:pic") return pictureText(findElement(shape, "xdr:cNvPr")?.attributes["descr"]);
  if (shape.name === "xdr:sp")
    return findElements(shape, "a:p")
      .map((paragraph) => wrap("p", escapeHtml(findElements(paragraph, "a:t").map(textOf).join(""))))
      .join("");
  const chart = relations.get(findElement(shape, "c:chart")?.attributes["r:id"] ?? "")?.target;
  const diagram = relations.get(findElement(shape, "dgm:relIds")?.attributes["r:dm"] ?? "")?.target;
  const target = chart ?? diagram;
  if (target === undefined) return "";
  const again = known.get(target);
  // A part that many shapes name is read once; writing it again counts by its length.
  if (again !== undefined) return files.budget.take(again.length / CHARACTERS_PER_STEP) ? again : "";
  const html = chart === undefined ? diagramToHtml(files, target) : chartToHtml(files, target);
  known.set(target, html);
  return html;
}
