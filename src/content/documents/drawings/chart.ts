import { childElement, findElement, findElements, textOf, type XmlElement } from "../containers/xml-tree.ts";
import type { WorkBudget } from "../../../core/work-budget.ts";
import { zipXml, type ZipFiles } from "../containers/zip.ts";
import { htmlTable } from "../html/html-table.ts";
import { escapeHtml, wrap } from "../html/html-text.ts";
import { paragraphText } from "./paragraph-text.ts";

const MAX_SERIES = 100;
const MAX_POINTS = 2_000;

/** Characters of HTML of all charts and diagrams of a file: a few points make a table of many cells, and parts may be shared. */
const MAX_DRAWN = 10_000_000;
const drawn = new WeakMap<WorkBudget, WorkBudget>();

/** Returns the HTML of a drawing; an empty string once the drawings of a file are longer than the limit. */
function withinLimit({ budget }: ZipFiles, html: string): string {
  const left = drawn.get(budget) ?? budget.within({ bytes: MAX_DRAWN });
  drawn.set(budget, left);
  if (left.takeBytes(html.length)) return html;
  budget.cut("the drawings of the document");
  return "";
}

/**
 * Writes a chart (ECMA-376 part 1 § 21.2) as its title and a table: a row for each category, a column for each series,
 * with the values that the file caches. Returns an empty string for a part that holds none.
 */
export function chartToHtml(files: ZipFiles, path: string): string {
  const chart = findElement(zipXml(files, path), "c:chart");
  if (chart === undefined) return "";
  const series = findElements(chart, "c:ser").slice(0, MAX_SERIES);
  const categories = firstPoints(series, ["c:cat", "c:xVal"]);
  const values = series.map((each) => firstPoints([each], ["c:val", "c:yVal"]));
  const count = Math.min(MAX_POINTS, Math.max(0, categories.length, ...values.map(({ length }) => length)));
  if (!files.budget.take(count * (series.length + 1))) return "";
  const head = ["", ...series.map((each) => textOf(findElement(childElement(each, "c:tx") ?? EMPTY, "c:v")))];
  const rows = Array.from({ length: count }, (_, at) => [
    categories[at] ?? "",
    ...values.map((points) => points[at] ?? ""),
  ]);
  const table =
    rows.length === 0 ? "" : htmlTable([head, ...rows].map((row) => row.map((text) => ({ html: escapeHtml(text) }))));
  return withinLimit(files, wrap("p", escapeHtml(titleOf(chart))) + table);
}

const EMPTY: XmlElement = { name: "", attributes: {}, children: [] };

function titleOf(chart: XmlElement): string {
  const title = childElement(chart, "c:title");
  if (title === undefined) return "";
  return findElements(title, "a:p").map(paragraphText).join(" ").trim();
}

/** Returns the texts of the points of the first series that has any, by their index. */
function firstPoints(series: readonly XmlElement[], names: readonly string[]): string[] {
  for (const each of series) {
    const data = names.map((name) => childElement(each, name)).find((found) => found !== undefined);
    const points = data === undefined ? [] : findElements(data, "c:pt");
    if (points.length === 0) continue;
    const texts: string[] = [];
    for (const point of points) {
      const at = Number(point.attributes["idx"] ?? texts.length);
      if (at >= 0 && at < MAX_POINTS) texts[at] = shownNumber(textOf(childElement(point, "c:v")));
    }
    return Array.from(texts, (text: string | undefined) => text ?? "");
  }
  return [];
}

/** A number with more digits than office programs show. */
const LONG_NUMBER = /^-?\d+\.\d{9,}(?:E[+-]?\d+)?$/i;

/** Returns a number with 15 significant digits at most, as office programs show it: files hold 8.2 as 8.1999999999999993. */
function shownNumber(text: string): string {
  return LONG_NUMBER.test(text) ? String(Number(Number(text).toPrecision(15))) : text;
}

/** Writes the texts of a diagram (SmartArt, ECMA-376 part 1 § 21.4) as a list, in the order of its data. */
export function diagramToHtml(files: ZipFiles, path: string): string {
  const texts = findElements(zipXml(files, path), "a:p").map(paragraphText);
  return withinLimit(files, wrap("ul", texts.map((text) => wrap("li", escapeHtml(text.trim()))).join("")));
}
