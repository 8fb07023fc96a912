import type { XmlElement } from "../containers/xml-tree.ts";
import { findElement, findElements, textOf } from "../containers/xml-tree.ts";
import type { ZipFiles } from "../containers/zip.ts";
import { zipXml } from "../containers/zip.ts";

type Names = readonly (readonly [element: string, name: string])[];

const CORE_PROPERTIES: Names = [
  ["dc:title", "title"],
  ["dc:creator", "author"],
  ["dc:description", "description"],
  ["dc:subject", "subject"],
  ["cp:keywords", "keywords"],
  ["dc:language", "language"],
  ["dcterms:created", "publishedTime"],
  ["dcterms:modified", "modifiedTime"],
];

const OPEN_DOCUMENT_PROPERTIES: Names = [
  ["dc:title", "title"],
  ["meta:initial-creator", "author"],
  ["dc:creator", "author"],
  ["dc:description", "description"],
  ["dc:subject", "subject"],
  ["meta:keyword", "keywords"],
  ["dc:language", "language"],
  ["meta:creation-date", "publishedTime"],
  ["dc:date", "modifiedTime"],
];

const PACKAGE_PROPERTIES: Names = [
  ["dc:title", "title"],
  ["dc:creator", "author"],
  ["dc:description", "description"],
  ["dc:subject", "keywords"],
  ["dc:language", "language"],
  ["dc:publisher", "publisher"],
  ["dc:date", "publishedTime"],
];

/** Returns the core properties of an Office Open XML package, ECMA-376 part 2 § 11. */
export function corePropertiesOf(files: ZipFiles): Record<string, string> {
  return propertiesOf(zipXml(files, "docProps/core.xml"), CORE_PROPERTIES);
}

/** Returns the metadata of an OpenDocument package, ODF 1.3 part 3 § 4.3. */
export function openDocumentPropertiesOf(files: ZipFiles): Record<string, string> {
  return propertiesOf(zipXml(files, "meta.xml"), OPEN_DOCUMENT_PROPERTIES);
}

/** Returns the metadata of an EPUB package document, EPUB 3.3 § 5.5. */
export function packagePropertiesOf(packageDocument: XmlElement): Record<string, string> {
  const metadata = findElement(packageDocument, "metadata");
  return metadata === undefined ? {} : propertiesOf(metadata, PACKAGE_PROPERTIES);
}

/** Returns the properties: the first name that is set wins; values that occur more than once are joined. */
function propertiesOf(root: XmlElement, names: Names): Record<string, string> {
  const properties: Record<string, string> = {};
  for (const [element, name] of names) {
    if (properties[name] !== undefined) continue;
    const values = findElements(root, element).map((found) => textOf(found).trim());
    const value = values.filter((text) => text !== "").join(", ");
    if (value !== "") properties[name] = value;
  }
  return properties;
}
