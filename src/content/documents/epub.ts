import { decodePercent } from "../../core/url/decode-percent.ts";
import { AppError } from "../../core/errors.ts";
import type { WorkBudget } from "../../core/work-budget.ts";
import type { RichContent } from "./document-content.ts";
import { escapeHtml } from "./html/html-text.ts";
import { packagePropertiesOf } from "./docx/office-metadata.ts";
import { resolvePath } from "./pptx/relations.ts";
import type { XmlElement } from "./containers/xml-tree.ts";
import { findElement, findElements, parseXhtml, parseXml } from "./containers/xml-tree.ts";
import type { ZipFiles } from "./containers/zip.ts";
import { readZip, zipText, zipXml } from "./containers/zip.ts";

const VOID = new Set(["br", "hr", "wbr"]);
const SKIPPED = new Set(["script", "style", "head", "title", "svg", "iframe", "object", "audio", "video"]);

/**
 * Reads an EPUB publication (EPUB 3.3, W3C; also EPUB 2): the chapters in the order of the spine. Links inside of the
 * book become text, since they have no target outside of it; pictures become their alternative text.
 * @throws SCRAPE_DOCUMENT_PREFETCH_FAILED for a damaged file, SCRAPE_UNSUPPORTED_FILE_ERROR for a protected one
 */
export function readEpub(bytes: Uint8Array, budget: WorkBudget): RichContent {
  const files = readZip(bytes, (name) => /\.(xml|opf|x?html?|xhtm)$/i.test(name), budget);
  const container = zipXml(files, "META-INF/container.xml");
  const packagePath = findElement(container, "rootfile")?.attributes["full-path"] ?? "";
  const packageText = zipText(files, packagePath);
  if (packageText === undefined)
    throw new AppError("SCRAPE_DOCUMENT_PREFETCH_FAILED", "The file holds no EPUB publication");
  const packageDocument = parseXml(packageText, budget);
  const chapters = spineOf(packageDocument, packagePath.slice(0, packagePath.lastIndexOf("/") + 1));
  refuseProtected(files, chapters);
  const html: string[] = [];
  for (const path of chapters) if (!budget.isSpent) html.push(chapterToHtml(zipText(files, path) ?? "", budget));
  return { html: html.join("\n"), metadata: packagePropertiesOf(packageDocument) };
}

/**
 * Returns the paths of the chapters in reading order, each once (EPUB 3.3, § 5.7.3); chapters marked as not linear are read in
 * place.
 */
function spineOf(packageDocument: XmlElement, folder: string): string[] {
  const manifest = new Map(
    findElements(packageDocument, "item").map(({ attributes }) => [attributes.id ?? "", attributes]),
  );
  const paths = findElements(packageDocument, "itemref").flatMap(({ attributes }) => {
    const item = manifest.get(attributes.idref ?? "");
    const isNavigation = (item?.properties ?? "").split(" ").includes("nav");
    if (item?.href === undefined || isNavigation) return [];
    return [resolvePath(folder, decodePercent(item.href.split("#", 1)[0] ?? ""))];
  });
  return [...new Set(paths)];
}

/** Rejects protected files. Obfuscated fonts are listed as encrypted too, so only encrypted chapters count. */
function refuseProtected(files: ZipFiles, chapters: readonly string[]): void {
  const encryption = zipXml(files, "META-INF/encryption.xml");
  const encrypted = new Set(
    [...findElements(encryption, "CipherReference"), ...findElements(encryption, "enc:CipherReference")].map(
      ({ attributes }) => attributes.URI ?? "",
    ),
  );
  if (chapters.some((path) => encrypted.has(path))) {
    throw new AppError("SCRAPE_UNSUPPORTED_FILE_ERROR", "The publication is protected by digital rights management");
  }
}

function chapterToHtml(text: string, budget: WorkBudget): string {
  const tree = parseXhtml(text, budget);
  return toHtml(findElement(tree, "body") ?? tree);
}

function toHtml(element: XmlElement): string {
  return element.children
    .map((child) => (typeof child === "string" ? escapeHtml(child) : elementToHtml(child)))
    .join("");
}

function elementToHtml(element: XmlElement): string {
  const { name, attributes } = element;
  if (SKIPPED.has(name)) return "";
  if (VOID.has(name)) return `<${name}>`;
  if (name === "img" || name === "image") {
    const text = attributes.alt?.trim() ?? "";
    return text === "" ? "" : `<em>${escapeHtml(text)}</em>`;
  }
  const href = attributes.href;
  if (name === "a" && (href === undefined || !/^(https?|mailto):/i.test(href))) return toHtml(element);
  const kept = ["href", "colspan", "rowspan", "start", "class", "lang"].flatMap((key) =>
    attributes[key] === undefined ? [] : [` ${key}="${escapeHtml(attributes[key])}"`],
  );
  return `<${name}${kept.join("")}>${toHtml(element)}</${name}>`;
}
