import type { FlatItem } from "../html/html-list.ts";
import { depthOf, htmlList } from "../html/html-list.ts";
import { chartToHtml, diagramToHtml } from "../drawings/chart.ts";
import { paragraphText } from "../drawings/paragraph-text.ts";
import { pictureText } from "../drawings/picture-text.ts";
import { ommlToMathml } from "../drawings/omml.ts";
import { htmlTable } from "../html/html-table.ts";
import { emphasize, escapeHtml, link } from "../html/html-text.ts";
import type { XmlElement } from "../containers/xml-tree.ts";
import { childElement, childElements, findElement, findElements, textOf } from "../containers/xml-tree.ts";
import type { ZipFiles } from "../containers/zip.ts";
import { zipXml } from "../containers/zip.ts";
import type { Relation, Relations } from "./relations.ts";
import { readRelations } from "./relations.ts";

/** Placeholders that repeat on every slide and carry no content. */
const FURNITURE = new Set(["sldNum", "dt", "ftr", "hdr", "sldImg"]);
const TITLES = new Set(["title", "ctrTitle"]);
/** Placeholders whose text is a list unless the paragraph overrides it. */
const LISTS = new Set(["body", "obj", ""]);

/**
 * Writes one slide as HTML: its title as a heading, its shapes in their order, its notes and comments. `commentsOf` writes the
 * comments that relations lead to.
 */
export function slideToHtml(
  files: ZipFiles,
  { path, number, commentsOf }: { path: string; number: number; commentsOf: (relations: Iterable<Relation>) => string },
): string {
  const slide = zipXml(files, path);
  const relations = readRelations(files, path);
  const tree = findElement(slide, "p:spTree");
  const shapes = tree === undefined ? [] : shapesOf(tree);
  const title = shapes.find((shape) => TITLES.has(placeholderOf(shape) ?? ""));
  const heading =
    title === undefined
      ? ""
      : paragraphsOf(title)
          .map((each) => paragraphText(each).trim())
          .filter(Boolean)
          .join(" ");
  const body = shapes.filter((shape) => shape !== title).map((shape) => shapeToHtml(shape, relations, files));
  const notes = notesToHtml(files, relations);
  const comments = commentsOf(relations.values());
  return [
    `<h2>${escapeHtml(heading === "" ? `Slide ${number}` : heading)}</h2>`,
    ...body,
    notes === "" ? "" : `<h3>Notes</h3>${notes}`,
    comments === "" ? "" : `<h3>Comments</h3>${comments}`,
  ].join("");
}

/** Returns shapes, tables and pictures in drawing order, groups opened. */
function shapesOf(tree: XmlElement): XmlElement[] {
  return childElements(tree).flatMap((element) => {
    if (element.name === "p:grpSp") return shapesOf(element);
    const choice = element.name === "mc:AlternateContent" ? childElement(element, "mc:Choice") : undefined;
    if (choice !== undefined) return shapesOf(choice);
    return ["p:sp", "p:graphicFrame", "p:pic"].includes(element.name) ? [element] : [];
  });
}

/**
 * Returns the type of a shape's placeholder, an empty string for the general one; undefined for a shape that is not a
 * placeholder.
 */
function placeholderOf(shape: XmlElement): string | undefined {
  const placeholder = findElement(shape, "p:ph");
  return placeholder === undefined ? undefined : (placeholder.attributes.type ?? "");
}

function paragraphsOf(shape: XmlElement): XmlElement[] {
  return childElements(childElement(shape, "p:txBody"), "a:p");
}

function shapeToHtml(shape: XmlElement, relations: Relations, files: ZipFiles): string {
  const placeholder = placeholderOf(shape);
  if (placeholder !== undefined && FURNITURE.has(placeholder)) return "";
  const table = findElement(shape, "a:tbl");
  if (table !== undefined) return tableToHtml(table, relations);
  if (shape.name === "p:pic") return pictureText(findElement(shape, "p:cNvPr")?.attributes.descr);
  if (shape.name === "p:graphicFrame") return graphicToHtml(shape, relations, files);
  return paragraphsToHtml(paragraphsOf(shape), relations, placeholder !== undefined && LISTS.has(placeholder));
}

/** Writes a chart or a diagram, whose content is in other parts. */
function graphicToHtml(shape: XmlElement, relations: Relations, files: ZipFiles): string {
  const chart = relations.get(findElement(shape, "c:chart")?.attributes["r:id"] ?? "");
  if (chart !== undefined) return chartToHtml(files, chart.target);
  const diagram = relations.get(findElement(shape, "dgm:relIds")?.attributes["r:dm"] ?? "");
  return diagram === undefined ? "" : diagramToHtml(files, diagram.target);
}

function tableToHtml(table: XmlElement, relations: Relations): string {
  const rows = childElements(table, "a:tr").map((row) =>
    childElements(row, "a:tc")
      .filter((cell) => cell.attributes.hMerge !== "1" && cell.attributes.vMerge !== "1")
      .map((cell) => ({
        html: paragraphsToHtml(childElements(childElement(cell, "a:txBody"), "a:p"), relations, false),
        columns: Number(cell.attributes.gridSpan ?? "1"),
        rows: Number(cell.attributes.rowSpan ?? "1"),
      })),
  );
  return htmlTable(rows);
}

function paragraphsToHtml(paragraphs: readonly XmlElement[], relations: Relations, isListByDefault: boolean): string {
  let html = "";
  let items: FlatItem[] = [];
  for (const paragraph of paragraphs) {
    const content = runsToHtml(paragraph, relations);
    if (content.trim() === "") continue;
    const properties = childElement(paragraph, "a:pPr");
    if (isItem(properties, isListByDefault)) {
      const depth = depthOf(Number(properties?.attributes.lvl ?? "0"));
      items.push({ html: content, depth, isOrdered: childElement(properties, "a:buAutoNum") !== undefined });
      continue;
    }
    html += `${htmlList(items)}<p>${content}</p>`;
    items = [];
  }
  return html + htmlList(items);
}

function isItem(properties: XmlElement | undefined, isListByDefault: boolean): boolean {
  if (childElement(properties, "a:buNone") !== undefined) return false;
  const hasBullet = ["a:buChar", "a:buAutoNum", "a:buBlip"].some(
    (name) => childElement(properties, name) !== undefined,
  );
  return hasBullet || isListByDefault;
}

function runsToHtml(paragraph: XmlElement, relations: Relations): string {
  return childElements(paragraph)
    .map((run) => {
      if (run.name === "a:br") return "<br>";
      if (run.name === "a14:m" || run.name === "mc:AlternateContent") return formulaOf(run);
      if (run.name !== "a:r" && run.name !== "a:fld") return "";
      const properties = childElement(run, "a:rPr");
      const style = {
        bold: isOn(properties?.attributes.b),
        italic: isOn(properties?.attributes.i),
        strike: /^(sngStrike|dblStrike)$/.test(properties?.attributes.strike ?? ""),
      };
      const text = escapeHtml(textOf(childElement(run, "a:t")));
      const href = relations.href(childElement(properties, "a:hlinkClick")?.attributes["r:id"]);
      return link(href, emphasize(text, style));
    })
    .join("");
}

function formulaOf(element: XmlElement): string {
  const formula = findElement(element, "m:oMathPara") ?? findElement(element, "m:oMath");
  return formula === undefined ? "" : ommlToMathml(formula);
}

function isOn(value: string | undefined): boolean {
  return value === "1" || value === "true";
}

function notesToHtml(files: ZipFiles, relations: Relations): string {
  const path = [...relations.values()].find(({ type }) => type === "notesSlide")?.target;
  if (path === undefined) return "";
  const shapes = findElements(zipXml(files, path), "p:sp");
  const bodies = shapes.filter((shape) => placeholderOf(shape) === "body");
  const own = readRelations(files, path);
  return bodies.map((shape) => paragraphsToHtml(paragraphsOf(shape), own, false)).join("");
}
