import { escapeHtml, wrap } from "../html/html-text.ts";
import type { XmlElement } from "../containers/xml-tree.ts";
import { childElement, childElements, findElements, textOf } from "../containers/xml-tree.ts";
import type { ZipFiles } from "../containers/zip.ts";
import { zipXml } from "../containers/zip.ts";
import { paragraphText } from "../drawings/paragraph-text.ts";
import type { Relation } from "./relations.ts";

/** Where authors are: of comments by ECMA-376 part 1 § 19.4, and of those with threads, [MS-PPTX] § 2.6. */
const AUTHORS = [
  { path: "ppt/commentAuthors.xml", name: "p:cmAuthor" },
  { path: "ppt/authors.xml", name: "p188:author" },
] as const;

/** Returns a function that writes the comments of a slide, by its relations, as an HTML list; empty without any. */
export function commentsOfSlides(files: ZipFiles): (relations: Iterable<Relation>) => string {
  let authors: ReadonlyMap<string, string> | undefined;
  return (relations) => {
    const parts = [...relations].filter(({ type, isExternal }) => type === "comments" && !isExternal);
    if (parts.length === 0) return "";
    authors ??= authorsOf(files);
    const named = authors;
    const comments = parts.flatMap(({ target }) => {
      const list = zipXml(files, target);
      // A reply stands in the comment that it answers, and so follows it.
      return [...findElements(list, "p:cm"), ...findElements(list, "p188:cm").flatMap(threadOf)];
    });
    return wrap("ul", comments.map((comment) => commentToHtml(comment, named)).join(""));
  };
}

function authorsOf(files: ZipFiles): Map<string, string> {
  const authors = AUTHORS.flatMap(({ path, name }) => findElements(zipXml(files, path), name));
  return new Map(authors.map(({ attributes }) => [attributes.id ?? "", attributes.name ?? ""]));
}

function threadOf(comment: XmlElement): XmlElement[] {
  return [comment, ...childElements(childElement(comment, "p188:replyLst"), "p188:reply")];
}

function commentToHtml(comment: XmlElement, authors: ReadonlyMap<string, string>): string {
  const paragraphs = childElements(childElement(comment, "p188:txBody"), "a:p").map(paragraphText);
  const text = [textOf(childElement(comment, "p:text")), ...paragraphs].join(" ").trim();
  const author = authors.get(comment.attributes.authorId ?? "")?.trim() ?? "";
  return text === "" ? "" : `<li>${escapeHtml(author === "" ? text : `${author}: ${text}`)}</li>`;
}
