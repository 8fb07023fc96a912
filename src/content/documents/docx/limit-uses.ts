import type { WorkBudget } from "../../../core/work-budget.ts";
import { findElements, parseXml } from "../containers/xml-tree.ts";
import { zipText, type ZipFiles } from "../containers/zip.ts";

/** Characters of the addresses of links, and of notes that are referred to again, that are written in all. */
const MAX_USED_CHARACTERS = 4_000_000;
/** Links with a relation, and references to notes and comments; a document may have any prefix for their namespace. */
const USES =
  /<(?:[\w.-]{1,20}:)?(hyperlink|(?:footnote|endnote|comment)Reference)\s(?:[^<>]*?\s)?[\w.-]{1,20}:id\s*=\s*["']([^"'<>]*)["'][^<>]*>/g;
const NOTE =
  /<(?:[\w.-]{1,20}:)?(footnote|endnote|comment)\s(?:[^<>]*?\s)?[\w.-]{1,20}:id\s*=\s*["']([^"'<>]*)["'][^<>]*>/g;
const RELATION_ID = /\s[\w.-]{1,20}:id\s*=\s*["'][^"'<>]*["']/;
const LINK = "hyperlink";

/**
 * Limits what is written each time that a Word document refers to it: the address of a link, by its relation, and the text of a note or
 * a comment. Links beyond the limit become text, and repeated references to notes are removed.
 */
export class UseLimit {
  readonly #files: ZipFiles;
  readonly #left: WorkBudget;
  readonly #notes = new Map<string, number>();
  readonly #used = new Set<string>();

  constructor(files: ZipFiles) {
    this.#files = files;
    this.#left = files.budget.within({ bytes: MAX_USED_CHARACTERS });
  }

  /** Adds the lengths of the notes of a part, with the addresses of their links. */
  addNotes(text: string, path: string): void {
    const starts = [...text.matchAll(NOTE)];
    if (starts.length === 0) return;
    const targets = this.#targetsOf(path);
    for (const [at, { 1: kind = "", 2: id = "", index }] of starts.entries()) {
      const note = text.slice(index, starts[at + 1]?.index);
      const links = [...note.matchAll(USES)].map(([, name, link = ""]) =>
        name === LINK ? (targets.get(link) ?? 0) : 0,
      );
      this.#notes.set(
        `${kind} ${id}`,
        links.reduce((sum, characters) => sum + characters, note.length),
      );
    }
  }

  /** Returns the text of a part without the uses that are beyond the limit. */
  limit(text: string, path: string): string {
    const targets = this.#targetsOf(path);
    const kept: string[] = [];
    let from = 0;
    for (const { 0: tag, 1: name = "", 2: id = "", index } of text.matchAll(USES)) {
      const isLink = name === LINK;
      const characters = isLink ? (targets.get(id) ?? 0) : this.#sizeOfNote(`${name.replace("Reference", "")} ${id}`);
      if (this.#mayUse(characters)) continue;
      kept.push(text.slice(from, index), isLink ? tag.replace(RELATION_ID, "") : "");
      from = index + tag.length;
    }
    return kept.length === 0 ? text : kept.join("") + text.slice(from);
  }

  #mayUse(characters: number): boolean {
    if (characters === 0 || this.#left.takeBytes(characters)) return true;
    this.#files.budget.cut("parts that the document refers to repeatedly");
    return false;
  }

  /** Returns the characters that a further reference to a note writes; none for the first one. */
  #sizeOfNote(key: string): number {
    const isFirst = !this.#used.has(key);
    this.#used.add(key);
    return isFirst ? 0 : (this.#notes.get(key) ?? 0);
  }

  /** Returns the lengths of the targets of relations by their ids. */
  #targetsOf(path: string): Map<string, number> {
    const list = zipText(this.#files, path.replace(/[^/]*$/, "_rels/$&.rels"));
    if (list === undefined) return new Map();
    const relations = findElements(parseXml(list, this.#files.budget), "Relationship");
    return new Map(relations.map(({ attributes }) => [attributes.Id ?? "", attributes.Target?.length ?? 0]));
  }
}
