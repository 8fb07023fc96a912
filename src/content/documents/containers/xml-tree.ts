import { Parser } from "htmlparser2";
import type { ParserOptions } from "htmlparser2";
import { WorkBudget } from "../../../core/work-budget.ts";
import { limitXml } from "../xml-limit.ts";
import { withoutPrototype } from "../../../core/without-prototype.ts";

/** A larger tree would not fit into an isolate. */
const MAX_ELEMENTS = 400_000;
/** Characters that are read in one step, besides the steps for elements. */
const CHARACTERS_PER_STEP = 64;
/** Elements deeper than this become children of the one at the limit; no real document comes near. */
const MAX_DEPTH = 512;

/**
 * The prefixes by which this code knows namespaces, whatever prefix a document picked. The vocabularies that are a
 * document's main language have an empty prefix.
 */
const PREFIXES: Record<string, string> = withoutPrototype({
  "urn:oasis:names:tc:opendocument:xmlns:office:1.0": "office",
  "urn:oasis:names:tc:opendocument:xmlns:text:1.0": "text",
  "urn:oasis:names:tc:opendocument:xmlns:table:1.0": "table",
  "urn:oasis:names:tc:opendocument:xmlns:style:1.0": "style",
  "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0": "draw",
  "urn:oasis:names:tc:opendocument:xmlns:presentation:1.0": "presentation",
  "urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0": "fo",
  "urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0": "svg",
  "urn:oasis:names:tc:opendocument:xmlns:meta:1.0": "meta",
  "http://www.w3.org/2000/svg": "",
  "http://www.w3.org/1999/xlink": "xlink",
  "http://schemas.openxmlformats.org/drawingml/2006/main": "a",
  "http://purl.oclc.org/ooxml/drawingml/main": "a",
  "http://schemas.openxmlformats.org/drawingml/2006/chart": "c",
  "http://purl.oclc.org/ooxml/drawingml/chart": "c",
  "http://schemas.openxmlformats.org/drawingml/2006/diagram": "dgm",
  "http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing": "xdr",
  "http://purl.oclc.org/ooxml/drawingml/spreadsheetDrawing": "xdr",
  "http://schemas.openxmlformats.org/officeDocument/2006/math": "m",
  "http://purl.oclc.org/ooxml/officeDocument/math": "m",
  "http://schemas.openxmlformats.org/presentationml/2006/main": "p",
  "http://purl.oclc.org/ooxml/presentationml/main": "p",
  "http://schemas.microsoft.com/office/powerpoint/2018/8/main": "p188",
  "http://schemas.openxmlformats.org/officeDocument/2006/relationships": "r",
  "http://purl.oclc.org/ooxml/officeDocument/relationships": "r",
  "http://schemas.openxmlformats.org/package/2006/relationships": "",
  "http://schemas.openxmlformats.org/package/2006/metadata/core-properties": "cp",
  "http://purl.org/dc/elements/1.1/": "dc",
  "http://purl.org/dc/terms/": "dcterms",
  "http://www.idpf.org/2007/opf": "",
  "urn:oasis:names:tc:opendocument:xmlns:container": "",
  "http://www.daisy.org/z3986/2005/ncx/": "",
  "http://www.idpf.org/2007/ops": "epub",
  "http://www.w3.org/1999/xhtml": "",
  "http://www.w3.org/2005/Atom": "",
  "http://purl.org/atom/ns#": "",
  "http://purl.org/rss/1.0/": "",
  "http://backend.userland.com/rss": "",
  "http://backend.userland.com/rss2": "",
  "http://my.netscape.com/rdf/simple/0.9/": "",
  "http://channel.netscape.com/rdf/simple/0.9/": "",
  "http://purl.org/rss/1.0/modules/content/": "content",
  "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf",
  "http://www.itunes.com/dtds/podcast-1.0.dtd": "itunes",
  "http://www.itunes.com/DTDs/Podcast-1.0.dtd": "itunes",
  "http://search.yahoo.com/mrss/": "media",
});

export type XmlNode = XmlElement | string;

export interface XmlElement {
  /** With this module's prefix for the namespace, such as `text:p`. */
  name: string;
  attributes: Record<string, string>;
  children: XmlNode[];
}

/**
 * Reads XML, well-formed or not, into a small tree under a `#root` element. Iterative and lenient. A document type is
 * skipped: its entities are not expanded and nothing external is loaded, so that an entity bomb stays text.
 */
export function parseXml(text: string, budget = new WorkBudget()): XmlElement {
  return parse(limited(text, budget, 1_000), { xmlMode: true, decodeEntities: true });
}

/** Characters that are read between two groups of `xmlGroups`. */
const GROUP_LENGTH = 131_072;

/**
 * Reads XML like `parseXml`, and yields the children of the first element with this name in groups, so that the tree of
 * a long document never is in memory as a whole.
 * @returns nothing when there is no such element, and else at least one group: an element like it with some of its children.
 * `root` has what comes before the element.
 */
export function* xmlGroups(
  text: string,
  name: string,
  budget = new WorkBudget(),
): Generator<{ group: XmlElement; root: XmlElement }> {
  const whole = limited(text, budget, 1_000);
  const { parser, root, open, firstWith } = treeParser({ xmlMode: true, decodeEntities: true }, name);
  for (let at = 0; at < whole.length; at += GROUP_LENGTH) {
    const isLast = at + GROUP_LENGTH >= whole.length;
    parser.write(whole.slice(at, at + GROUP_LENGTH));
    if (isLast) parser.end();
    const parent = firstWith();
    if (parent === undefined) continue;
    // The last child may go on, also when it is a text.
    const depth = open.indexOf(parent);
    const isOpen = depth !== -1 && (open[depth + 1] !== undefined || typeof parent.children.at(-1) === "string");
    const children = parent.children.splice(0, parent.children.length - Number(isOpen && !isLast));
    if (children.length > 0 || isLast) yield { group: { ...parent, children }, root };
  }
}

/** Reads XHTML, in which named entities of HTML and missing end tags are common. */
export function parseXhtml(text: string, budget = new WorkBudget()): XmlElement {
  // Missing end tags look like depth.
  return parse(limited(text, budget, 10_000), {
    xmlMode: false,
    decodeEntities: true,
    recognizeSelfClosing: true,
    recognizeCDATA: true,
  });
}

/** Returns the first element with this name, in document order, the start not included. */
export function findElement(start: XmlElement, name: string): XmlElement | undefined {
  for (const element of walkElements(start)) if (element.name === name) return element;
  return undefined;
}

/** Returns all elements with this name, in document order, the start not included. */
export function findElements(start: XmlElement, name: string): XmlElement[] {
  return [...walkElements(start)].filter((element) => element.name === name);
}

/** Returns the child elements, those with this name when one is given. */
export function childElements(parent: XmlElement | undefined, name?: string): XmlElement[] {
  const children = parent?.children ?? [];
  return children.filter(
    (child): child is XmlElement => typeof child !== "string" && (name === undefined || child.name === name),
  );
}

export function childElement(parent: XmlElement | undefined, name: string): XmlElement | undefined {
  return childElements(parent, name)[0];
}

/** Returns all text inside, unchanged. */
export function textOf(element: XmlElement | undefined): string {
  if (element === undefined) return "";
  return element.children.map((child) => (typeof child === "string" ? child : textOf(child))).join("");
}

/** Yields all elements below the start, in document order. */
export function* walkElements(start: XmlElement): Generator<XmlElement> {
  const path: { children: XmlNode[]; next: number }[] = [{ children: start.children, next: 0 }];
  for (let level = path.at(-1); level !== undefined; level = path.at(-1)) {
    const child = level.children[level.next++];
    if (child === undefined) path.pop();
    else if (typeof child !== "string") {
      yield child;
      path.push({ children: child.children, next: 0 });
    }
  }
}

/** Cuts text whose tree would not fit into memory, and records the cut in the budget. */
function limited(text: string, budget: WorkBudget, maxDepth: number): string {
  // Any number of references may lead to one part.
  if (!budget.takeBytes(text.length) || !budget.take(text.length / CHARACTERS_PER_STEP)) {
    budget.cut("the text of the document");
    return "";
  }
  const limited = limitXml(text, { maxElements: MAX_ELEMENTS, maxDepth, budget });
  if (limited.isCut) budget.cut("the text of the document");
  return limited.text;
}

function parse(text: string, options: ParserOptions): XmlElement {
  const { parser, root } = treeParser(options);
  parser.end(text);
  return root;
}

interface TreeParser {
  parser: Parser;
  root: XmlElement;
  /** The root and the elements that are open, the innermost one last. */
  open: readonly XmlElement[];
  /** The first element with the name that was asked for, once it is open. */
  firstWith(): XmlElement | undefined;
}

function treeParser(options: ParserOptions, wanted?: string): TreeParser {
  let first: XmlElement | undefined;
  const root: XmlElement = { name: "#root", attributes: {}, children: [] };
  const open: XmlElement[] = [root];
  const namespaces = new Namespaces();
  let tooDeep = 0;
  const parser = new Parser(
    {
      onopentag(name, rawAttributes) {
        namespaces.enter(rawAttributes);
        const element = {
          name: namespaces.elementName(name),
          attributes: namespaces.attributes(rawAttributes),
          children: [],
        };
        if (element.name === wanted) first ??= element;
        open.at(-1)?.children.push(element);
        if (open.length >= MAX_DEPTH) {
          tooDeep++;
          namespaces.leave();
          return;
        }
        open.push(element);
      },
      onclosetag() {
        if (tooDeep > 0) {
          tooDeep--;
          return;
        }
        if (open.length === 1) return;
        open.pop();
        namespaces.leave();
      },
      ontext(data) {
        const siblings = open.at(-1)?.children;
        if (siblings === undefined) return;
        const last = siblings.at(-1);
        if (typeof last === "string") siblings[siblings.length - 1] = last + data;
        else siblings.push(data);
      },
    },
    options,
  );
  return { parser, root, open, firstWith: () => first };
}

/** The namespaces of the prefixes in scope. Elements undo what they declared: a copy for each would be as large as all of them. */
class Namespaces {
  readonly #byPrefix = new Map<string, string>();
  /** For each open element, the prefixes that it declared, with what they stood for outside of it. */
  readonly #replaced: (readonly [prefix: string, outer: string | undefined][])[] = [];

  /** Takes the declarations of an element that starts. */
  enter(attributes: Record<string, string>): void {
    let replaced = NONE;
    for (const [name, value] of Object.entries(attributes)) {
      if (!isDeclaration(name)) continue;
      const prefix = name === "xmlns" ? "" : name.slice(6);
      if (replaced === NONE) replaced = [];
      replaced.push([prefix, this.#byPrefix.get(prefix)]);
      this.#byPrefix.set(prefix, value);
    }
    this.#replaced.push(replaced);
  }

  /** Undoes the declarations of the innermost element. */
  leave(): void {
    for (const [prefix, outer] of this.#replaced.pop() ?? NONE) {
      if (outer === undefined) this.#byPrefix.delete(prefix);
      else this.#byPrefix.set(prefix, outer);
    }
  }

  elementName(name: string): string {
    return this.#resolve(name, name.indexOf(":"));
  }

  /** Returns the attributes other than declarations. Those without a prefix are in no namespace. */
  attributes(raw: Record<string, string>): Record<string, string> {
    const resolved: Record<string, string> = {};
    for (const [name, value] of Object.entries(raw)) {
      if (isDeclaration(name)) continue;
      const colon = name.indexOf(":");
      resolved[colon === -1 ? name : this.#resolve(name, colon)] = value;
    }
    return resolved;
  }

  #resolve(name: string, colon: number): string {
    const known = PREFIXES[this.#byPrefix.get(colon === -1 ? "" : name.slice(0, colon)) ?? ""];
    if (known === undefined) return name;
    const local = name.slice(colon + 1);
    return known === "" ? local : `${known}:${local}`;
  }
}

const NONE: [prefix: string, outer: string | undefined][] = [];

function isDeclaration(name: string): boolean {
  return name === "xmlns" || name.startsWith("xmlns:");
}
