import type { ElementNode } from "../tree.ts";
import { codeBlock, framedListing } from "./code.ts";
import { BREAK, FORMULA, type Emitter } from "./emitter.ts";
import { escapeAddress, escapeLineStart } from "./escape.ts";
import { linkAddress, embeddedVideo } from "./link.ts";
import { definitionList, listBlock } from "./list.ts";
import { readFormula } from "./math.ts";
import { tableBlock } from "./table.ts";

/** Blocks of one block element. */
export function blocksOfElement(emitter: Emitter, element: ElementNode): string[] {
  const { tag } = element;
  const listing = framedListing(element);
  if (listing !== undefined) return codeBlock(listing);
  switch (tag) {
    case "h1":
    case "h2":
    case "h3":
    case "h4":
    case "h5":
    case "h6":
      return heading(emitter, element, Number(tag.charAt(1)));
    case "hr":
      return ["---"];
    case "pre":
      return codeBlock(element);
    case "blockquote":
      return quote(emitter.blocks(element));
    case "ul":
    case "ol":
    case "menu":
      return listBlock(emitter, element);
    case "dl":
      return definitionList(emitter, element);
    case "table":
      return tableBlock(emitter, element);
    case "summary":
      return emphasised("**", emitter.line(element));
    case "figcaption":
      return emphasised("_", emitter.line(element));
    case "a":
      return card(emitter, element);
    case "iframe":
    case "video":
    case "audio":
      return [embeddedVideo(emitter, element)].filter((text) => text !== "");
    default:
      return formulaBlock(element) ?? emitter.blocks(element);
  }
}

/** Paragraphs of a run of inline text: forced breaks stay, two of them part paragraphs, display formulas stand alone. */
export function paragraphs(run: string): string[] {
  const blocks: string[] = [];
  for (const part of run.split(PARAGRAPH_END)) {
    if (part.startsWith("$$\n")) {
      blocks.push(part);
      continue;
    }
    const lines = part.split(BREAK).map((line) => line.replace(/ {2,}/g, " ").trim());
    const text = lines
      .filter((line) => line !== "")
      .map(escapeLineStart)
      .join("  \n");
    if (text !== "") blocks.push(text);
  }
  return blocks;
}

const PARAGRAPH_END = new RegExp(`(?:\\s*${BREAK}\\s*){2,}|${FORMULA}`);

function heading(emitter: Emitter, element: ElementNode, level: number): string[] {
  const text = emitter
    .line(element)
    .replace(/^\*\*((?:(?!\*\*).)*)\*\*$/s, "$1")
    .trim();
  return text === "" ? [] : [`${"#".repeat(level)} ${text.replace(/(#+)$/, "\\$1")}`];
}

function quote(blocks: string[]): string[] {
  if (blocks.length === 0) return [];
  return [
    blocks
      .join("\n\n")
      .replace(/^(?=.)/gm, "> ")
      .replace(/^$/gm, ">"),
  ];
}

/** Marks a line of its own, unless it has marks already that would clash. */
function emphasised(mark: string, text: string): string[] {
  if (text === "") return [];
  return [/[*_`]/.test(text) ? text : mark + text + mark];
}

function formulaBlock(element: ElementNode): string[] | undefined {
  const formula = readFormula(element);
  if (formula === undefined) return undefined;
  return [formula.isDisplay ? `$$\n${formula.tex}\n$$` : `$${formula.tex}$`];
}

/**
 * A link around blocks, as cards are made: the link goes onto its heading, or onto its first line that can bear one;
 * the rest stands as it is.
 */
function card(emitter: Emitter, link: ElementNode): string[] {
  const blocks = emitter.blocks(link);
  const address = linkAddress(emitter, link);
  if (address === undefined) return blocks;
  const headingIndex = blocks.findIndex((block) => /^#{1,6} /.test(block) && canBearLink(block));
  const index = headingIndex === -1 ? blocks.findIndex(canBearLink) : headingIndex;
  return blocks.map((block, position) => (position === index ? linked(block, address) : block));
}

/** One line without a link of its own that is no list, table, quote or listing. */
function canBearLink(block: string): boolean {
  const isPicture = /^!\[(?:[^\]\\]|\\.)*\]\([^()\s]*\)$/.test(block);
  return isPicture || (!block.includes("](") && !block.includes("\n") && !/^(?:[-|>`$]|\d+\. )/.test(block));
}

function linked(block: string, address: string): string {
  const [, mark = "", text = ""] = /^(#{1,6} )?(.*)$/.exec(block) ?? [];
  const shown = text.startsWith("![") ? text : text.replace(/(?<!\\)[[\]]/g, "\\$&");
  return `${mark}[${shown}](${escapeAddress(address)})`;
}
