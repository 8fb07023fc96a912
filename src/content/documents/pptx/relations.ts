import { findElements } from "../containers/xml-tree.ts";
import type { ZipFiles } from "../containers/zip.ts";
import { zipXml } from "../containers/zip.ts";

/** Characters of the address of a link, as in a binary presentation; links to longer ones are written as text. */
export const MAX_TARGET_CHARACTERS = 16_384;

export interface Relation {
  /** The last part of the relation's type, such as `slide`, `notesSlide` or `hyperlink`. */
  type: string;
  /** Path inside the package, or a URL outside of it. */
  target: string;
  isExternal: boolean;
}

/** Relations of a part by their ids. */
export class Relations extends Map<string, Relation> {
  readonly #files: ZipFiles;

  constructor(files: ZipFiles, relations: Iterable<readonly [string, Relation]>) {
    super(relations);
    this.#files = files;
  }

  /** Returns the address of a link; undefined for one within the package, for a very long one, and beyond the limit for all. */
  href(id: string | undefined): string | undefined {
    const relation = this.get(id ?? "");
    if (relation?.isExternal !== true || relation.target.length > MAX_TARGET_CHARACTERS) return undefined;
    // Any number of runs may have the same relation.
    if (this.#files.links.takeBytes(relation.target.length)) return relation.target;
    this.#files.budget.cut("parts that the document refers to repeatedly");
    return undefined;
  }
}

/** Returns the relations of a part of an Office Open XML package, ECMA-376 part 2 § 9.3. */
export function readRelations(files: ZipFiles, partPath: string): Relations {
  const slash = partPath.lastIndexOf("/");
  const folder = partPath.slice(0, slash + 1);
  const list = zipXml(files, `${folder}_rels/${partPath.slice(slash + 1)}.rels`);
  const relations = findElements(list, "Relationship").map(({ attributes }): [string, Relation] => {
    const isExternal = attributes.TargetMode === "External";
    const target = attributes.Target ?? "";
    const type = (attributes.Type ?? "").split("/").at(-1) ?? "";
    return [attributes.Id ?? "", { type, isExternal, target: isExternal ? target : resolvePath(folder, target) }];
  });
  return new Relations(files, relations);
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
