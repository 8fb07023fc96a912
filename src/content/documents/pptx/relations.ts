import { findElements } from "../containers/xml-tree.ts";
import type { ZipFiles } from "../containers/zip.ts";
import { zipXml } from "../containers/zip.ts";

export interface Relation {
  /** The last part of the relation's type, such as `slide`, `notesSlide` or `hyperlink`. */
  type: string;
  /** Path inside the package, or a URL outside of it. */
  target: string;
  isExternal: boolean;
}

/** Returns the relations of a part of an Office Open XML package by their ids, ECMA-376 part 2 § 9.3. */
export function readRelations(files: ZipFiles, partPath: string): Map<string, Relation> {
  const slash = partPath.lastIndexOf("/");
  const folder = partPath.slice(0, slash + 1);
  const list = zipXml(files, `${folder}_rels/${partPath.slice(slash + 1)}.rels`);
  const relations = findElements(list, "Relationship").map(({ attributes }): [string, Relation] => {
    const isExternal = attributes.TargetMode === "External";
    const target = attributes.Target ?? "";
    const type = (attributes.Type ?? "").split("/").at(-1) ?? "";
    return [attributes.Id ?? "", { type, isExternal, target: isExternal ? target : resolvePath(folder, target) }];
  });
  return new Map(relations);
}

/** Joins a relative path to a folder, both inside an archive. */
export function resolvePath(folder: string, relative: string): string {
  const parts: string[] = relative.startsWith("/") ? [] : folder.split("/").filter((part) => part !== "");
  for (const part of relative.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts.join("/");
}
