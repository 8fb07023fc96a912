import { AppError } from "../../../core/errors.ts";
import type { WorkBudget } from "../../../core/work-budget.ts";
import { findElements, parseXml } from "../containers/xml-tree.ts";
import { zipText, type ZipFiles } from "../containers/zip.ts";

/** Characters of the addresses of links, and of notes that are referred to again, that are written in all. */
const MAX_USED_CHARACTERS = 4_000_000;
/** Attributes of a tag that are read; Word writes fewer than ten. */
const MAX_ATTRIBUTES = 100_000;
/** The attributes and the end of a tag, in linear time. None where the tag is not well-formed, which mammoth accepts. */
const REST = `\\s(?:[^<>"']*(?:(?:"[^"<]*"|'[^'<]*')[^<>"']*){0,${MAX_ATTRIBUTES}}>)?`;
/** Links, and references to notes and comments; a document may have any prefix for their namespace. */
const USES = new RegExp(`<(?:[^\\s<>/:]+:)?(hyperlink|(?:footnote|endnote|comment)Reference)${REST}`, "g");
const NOTE = new RegExp(`<(?:[^\\s<>/:]+:)?(footnote|endnote|comment)${REST}`, "g");
const ATTRIBUTE = /\s([^\s=<>"']+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const LINK = "hyperlink";

/** Lengths of what is written by id, and the longest of them, for ids that cannot be read. */
interface Sizes {
  byId: ReadonlyMap<string, number>;
  longest: number;
}

/**
 * Limits what is written each time that a Word document refers to it: the address of a link, by its relation, and the text of a note or
 * a comment. Links beyond the limit become text, and repeated references to notes are removed. References to notes that the document
 * lacks are removed as well: mammoth treats one as damage.
 */
export class UseLimit {
  readonly #files: ZipFiles;
  readonly #left: WorkBudget;
  readonly #notes = new Map<string, number>();
  #longestNote = 0;
  /** Set when the id of a note cannot be read: any reference may be to it. */
  #hasUnknownNote = false;
  readonly #used = new Set<string>();

  constructor(files: ZipFiles) {
    this.#files = files;
    this.#left = files.budget.within({ bytes: MAX_USED_CHARACTERS });
  }

  /** Adds the lengths of the notes of a part, with the addresses of their links. */
  addNotes(part: string, path: string): void {
    const text = withPlainSpaces(part);
    const starts = [...text.matchAll(NOTE)];
    if (starts.length === 0) return;
    const targets = this.#targetsOf(path);
    for (const [at, { 0: tag, 1: kind = "", index }] of starts.entries()) {
      const note = text.slice(index, starts[at + 1]?.index);
      const links = [...note.matchAll(USES)].filter(([, name]) => name === LINK);
      const size = links.reduce((sum, [link]) => sum + sizeOfLink(link, targets), note.length);
      this.#longestNote = Math.max(this.#longestNote, size);
      const ids = idsOf(tag);
      this.#hasUnknownNote ||= ids === undefined;
      for (const id of ids ?? []) this.#notes.set(`${kind} ${id}`, size);
    }
  }

  /**
   * Returns the text of a part without the uses that are beyond the limit.
   * @throws SCRAPE_DOCUMENT_PREFETCH_FAILED when one of those is not well-formed
   */
  limit(part: string, path: string): string {
    const text = withPlainSpaces(part);
    const targets = this.#targetsOf(path);
    const kept: string[] = [];
    let from = 0;
    for (const { 0: tag, 1: name = "", index } of text.matchAll(USES)) {
      const isLink = name === LINK;
      const kind = name.replace("Reference", "");
      const characters = isLink ? sizeOfLink(tag, targets) : this.#sizeOfReference(tag, kind);
      const isDangling = !isLink && this.#isDangling(tag, kind);
      if (!isDangling && this.#mayUse(characters)) continue;
      if (!tag.endsWith(">")) throw new AppError("SCRAPE_DOCUMENT_PREFETCH_FAILED", "The Word document is damaged");
      kept.push(text.slice(from, index), isLink ? withoutIds(tag) : "");
      from = index + tag.length;
    }
    return kept.length === 0 ? text : kept.join("") + text.slice(from);
  }

  #mayUse(characters: number): boolean {
    if (characters === 0 || this.#left.takeBytes(characters)) return true;
    this.#files.budget.cut("parts that the document refers to repeatedly");
    return false;
  }

  /** Reports whether a reference is to a note or a comment that no part has. */
  #isDangling(tag: string, kind: string): boolean {
    const ids = idsOf(tag) ?? [];
    return !this.#hasUnknownNote && ids.length > 0 && ids.every((id) => !this.#notes.has(`${kind} ${id}`));
  }

  /** Returns the characters that a further reference to a note writes; none for the first one. */
  #sizeOfReference(tag: string, kind: string): number {
    let size = 0;
    const ids = idsOf(tag);
    if (ids === undefined) return this.#longestNote;
    for (const key of ids.map((id) => `${kind} ${id}`)) {
      if (this.#used.has(key)) size += this.#notes.get(key) ?? this.#longestNote;
      this.#used.add(key);
    }
    return size;
  }

  /** Returns the lengths of the targets of relations. */
  #targetsOf(path: string): Sizes {
    const list = zipText(this.#files, path.replace(/[^/]*$/, "_rels/$&.rels"));
    if (list === undefined) return { byId: new Map(), longest: 0 };
    const relations = findElements(parseXml(list, this.#files.budget), "Relationship");
    const byId = new Map(relations.map(({ attributes }) => [attributes.Id ?? "", attributes.Target?.length ?? 0]));
    return { byId, longest: [...byId.values()].reduce((longest, length) => Math.max(longest, length), 0) };
  }
}

/** Characters that are none of XML 1.0, and one that is no white space: the XML parser takes both for white space in a tag. */
// oxlint-disable-next-line no-control-regex -- they are what it looks for
const ODD_SPACES = /[\x00-\x08\x0b\x0c\x0e-\x1f\x80]/g;

const withPlainSpaces = (text: string): string => text.replace(ODD_SPACES, " ");

function sizeOfLink(tag: string, { byId, longest }: Sizes): number {
  return idsOf(tag)?.reduce((sum, id) => sum + (byId.get(id) ?? 0), 0) ?? longest;
}

/** Returns the values of the attributes `id` with a prefix; undefined when the tag, or a reference in a value, is not read. */
function idsOf(tag: string): string[] | undefined {
  if (!tag.endsWith(">")) return undefined;
  const ids = [...tag.matchAll(ATTRIBUTE)].flatMap(([, name = "", double, single]) =>
    isId(name) ? [double ?? single ?? ""] : [],
  );
  return ids.some((id) => id.includes("&")) ? undefined : ids;
}

function withoutIds(tag: string): string {
  return tag.replace(ATTRIBUTE, (attribute: string, name: string) => (isId(name) ? "" : attribute));
}

const isId = (name: string): boolean => name.endsWith(":id");
