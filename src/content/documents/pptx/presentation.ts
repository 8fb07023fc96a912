import { AppError } from "../../../core/errors.ts";
import type { WorkBudget } from "../../../core/work-budget.ts";
import type { RichContent } from "../document-content.ts";
import { odfStyles } from "../odf/odf-styles.ts";
import { OdfWriter } from "../odf/odf-writer.ts";
import { escapeHtml, joinMarks, wrap } from "../html/html-text.ts";
import { corePropertiesOf, openDocumentPropertiesOf } from "../docx/office-metadata.ts";
import { commentsOfSlides } from "./slide-comments.ts";
import { slideToHtml } from "./slide-to-html.ts";
import { readRelations } from "./relations.ts";
import type { XmlElement } from "../containers/xml-tree.ts";
import { childElement, childElements, findElement, findElements, parseXml } from "../containers/xml-tree.ts";
import { readZip, zipText, zipXml } from "../containers/zip.ts";

/**
 * Reads a PowerPoint presentation (Office Open XML, ECMA-376 part 1 § 19): a heading for each slide, its text, tables
 * and lists, then the speaker's notes and the comments. A slide that is named repeatedly is read once.
 * @throws SCRAPE_DOCUMENT_PREFETCH_FAILED when it holds no presentation
 */
export function readPptx(bytes: Uint8Array, budget: WorkBudget): RichContent {
  const files = readZip(
    bytes,
    (name) => /^(ppt|docProps)\/.*\.(xml|rels)$/i.test(name) && !/(slideMaster|slideLayout|theme)s?\//.test(name),
    budget,
  );
  const presentation = zipText(files, "ppt/presentation.xml");
  if (presentation === undefined)
    throw new AppError("SCRAPE_DOCUMENT_PREFETCH_FAILED", "The file holds no presentation");
  const relations = readRelations(files, "ppt/presentation.xml");
  const slides = findElements(parseXml(presentation, budget), "p:sldId").flatMap((entry) => {
    const target = relations.get(entry.attributes["r:id"] ?? "")?.target;
    return target === undefined ? [] : [target];
  });
  const paths = new Set(slides);
  const html: string[] = [];
  const commentsOf = commentsOfSlides(files);
  for (const path of paths)
    if (!budget.isSpent) html.push(slideToHtml(files, { path, number: html.length + 1, commentsOf }));
  return { html: joinMarks(html.join("\n")), metadata: { ...corePropertiesOf(files), numSlides: paths.size } };
}

/**
 * Reads an OpenDocument presentation (ODF 1.3 part 3 § 10), in the same form.
 * @throws SCRAPE_DOCUMENT_PREFETCH_FAILED when it holds no presentation
 */
export function readOdp(bytes: Uint8Array, budget: WorkBudget): RichContent {
  const files = readZip(bytes, (name) => /^(content|styles|meta)\.xml$/.test(name), budget);
  const content = zipXml(files, "content.xml");
  const body = findElement(content, "office:presentation");
  if (body === undefined) throw new AppError("SCRAPE_DOCUMENT_PREFETCH_FAILED", "The file holds no presentation");
  const styles = odfStyles(content, zipXml(files, "styles.xml"));
  const slides = childElements(body, "draw:page");
  const html = joinMarks(slides.map((slide, at) => odpSlide(slide, at + 1, new OdfWriter(styles, budget))).join("\n"));
  return { html, metadata: { ...openDocumentPropertiesOf(files), numSlides: slides.length } };
}

function odpSlide(slide: XmlElement, number: number, writer: OdfWriter): string {
  const title = childElements(slide).find(({ attributes }) => attributes["presentation:class"] === "title");
  const titleText =
    title === undefined
      ? ""
      : writer
          .blocks(title)
          .replace(/<\/p>|<br>/g, " ")
          .replace(/<[^<>]+>/g, "")
          .trim();
  const rest: XmlElement = { ...slide, children: slide.children.filter((child) => child !== title) };
  const notes = childElement(slide, "presentation:notes");
  const notesHtml = notes === undefined ? "" : writer.blocks(notes);
  return [
    `<h2>${titleText === "" ? escapeHtml(`Slide ${number}`) : titleText}</h2>`,
    writer.blocks(rest),
    notesHtml.trim() === "" ? "" : `<h3>Notes</h3>${notesHtml}`,
    wrap("div", writer.notesHtml()),
  ].join("");
}
