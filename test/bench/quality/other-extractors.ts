/** Other extractors, as far as their packages are installed. */
import { parseHTML } from "linkedom";
import type { Extractor } from "../../../src/tools/train-main-content/evaluate.ts";

interface ReadabilityModule {
  Readability: new (document: unknown) => { parse(): { textContent?: string | null } | null };
}

interface DefuddleModule {
  default: new (document: unknown, options: { url: string }) => { parse(): { content?: string } };
}

const OPAQUE_URL = "https://page.example/page";

export async function otherExtractors(): Promise<[string, Extractor][]> {
  const readability = await load<ReadabilityModule>("@mozilla/readability");
  const defuddle = await load<DefuddleModule>("defuddle");
  const found: [string, Extractor][] = [];
  if (readability !== undefined) found.push(["Readability", withReadability(readability)]);
  if (defuddle !== undefined) found.push(["Defuddle", withDefuddle(defuddle)]);
  return found;
}

/** Imports a package by a name that the compiler does not resolve; undefined, with a line about it, when it is missing. */
async function load<Module>(name: string): Promise<Module | undefined> {
  try {
    return (await import(name)) as Module;
  } catch {
    console.log(`${name} is not installed and is left out.`);
    return undefined;
  }
}

function withReadability({ Readability }: ReadabilityModule): Extractor {
  return tolerant((html) => new Readability(parseHTML(html).document).parse()?.textContent ?? "");
}

function withDefuddle({ default: Defuddle }: DefuddleModule): Extractor {
  return tolerant((html, url) => {
    const { content = "" } = new Defuddle(parseHTML(html).document, { url: url || OPAQUE_URL }).parse();
    const { document } = parseHTML(`<body>${content}</body>`);
    return textWithBreaks(document.body as unknown as DomNode);
  });
}

/** A page on which an extractor throws counts as empty. */
function tolerant(read: (html: string, url: string) => string): Extractor {
  return (html, url) => {
    try {
      return { text: read(html, url), confidence: 1 };
    } catch {
      return { text: "", confidence: 0 };
    }
  };
}

interface DomNode {
  nodeType: number;
  textContent: string | null;
  childNodes: Iterable<DomNode>;
}

const TEXT_NODE = 3;

/** Texts of different elements are different words. */
function textWithBreaks(root: DomNode): string {
  const parts: string[] = [];
  const stack = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.nodeType === TEXT_NODE) parts.push(node.textContent ?? "");
    else stack.push(...[...node.childNodes].toReversed());
  }
  return parts.join(" ");
}
