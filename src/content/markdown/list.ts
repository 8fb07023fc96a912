import type { ElementNode } from "../tree.ts";
import type { Emitter } from "./emitter.ts";

const LIST_TAGS = new Set(["ul", "ol", "menu", "dir"]);
const STARTS_LIST = /^(?:[-*+]|\d{1,9}[.)])\s/;
/** What a checkbox has become by the time its paragraph is written. */
const TASK = /^\\\[([ x])\]\s+/;

/** One list; loose (blank lines between items) as soon as one of its items holds more than a line and a list. */
export function listBlock(emitter: Emitter, list: ElementNode): string[] {
  const items: string[] = [];
  const isOrdered = list.tag === "ol";
  let number = startOf(list);
  let isLoose = false;
  for (const child of emitter.keptChildren(list)) {
    if (typeof child === "string") {
      for (const paragraph of emitter.paragraphs([child])) items.push(`- ${indent(paragraph, 2)}`);
      continue;
    }
    if (LIST_TAGS.has(child.tag)) {
      nest(items, listBlock(emitter, child));
      continue;
    }
    const value = child.attributes["value"];
    if (isOrdered && value !== undefined && /^\d{1,9}$/.test(value)) number = Number(value);
    const blocks = itemBlocks(emitter, child);
    if (blocks.length === 0) continue;
    const marker = isOrdered ? `${number++}. ` : "- ";
    isLoose ||= isSpacious(blocks);
    items.push(marker + indent(joinBlocks(blocks), marker.length));
  }
  return items.length === 0 ? [] : [items.join(isLoose ? "\n\n" : "\n")];
}

/** A definition list: the term in bold, its definitions below. */
export function definitionList(emitter: Emitter, list: ElementNode): string[] {
  const blocks: string[] = [];
  for (const child of emitter.keptChildren(list)) {
    if (typeof child === "string") continue;
    if (child.tag === "dt") {
      const term = emitter.line(child).replace(/^\*\*(.*)\*\*$/s, "$1");
      if (term !== "") blocks.push(`**${term}**`);
    } else if (child.tag === "div") blocks.push(...definitionList(emitter, child));
    else blocks.push(...emitter.blocksOf(child));
  }
  return blocks;
}

function startOf({ attributes }: ElementNode): number {
  const start = attributes["start"];
  return start !== undefined && /^\d{1,9}$/.test(start) ? Number(start) : 1;
}

/** Items of other tags than `li` are taken as they are. A box in front makes a task; text that looks like one stays escaped. */
function itemBlocks(emitter: Emitter, item: ElementNode): string[] {
  const blocks = item.tag === "li" ? emitter.blocks(item) : emitter.blocksOf(item);
  const [first, ...others] = blocks;
  if (first === undefined || !hasCheckbox(item)) return blocks;
  return [first.replace(TASK, "[$1] "), ...others];
}

function hasCheckbox(item: ElementNode): boolean {
  for (let element: ElementNode | undefined = item; element !== undefined;) {
    const first: ElementNode | string | undefined = element.children.find(
      (child) => typeof child !== "string" || /\S/.test(child),
    );
    if (first === undefined || typeof first === "string") return false;
    if (first.tag === "input") return first.attributes["type"]?.toLowerCase() === "checkbox";
    element = first;
  }
  return false;
}

/** Lists below a line stay close to it. */
function joinBlocks(blocks: string[]): string {
  let text = blocks[0] ?? "";
  for (const block of blocks.slice(1)) text += (STARTS_LIST.test(block) ? "\n" : "\n\n") + block;
  return text;
}

function isSpacious(blocks: string[]): boolean {
  return blocks.slice(1).some((block) => !STARTS_LIST.test(block));
}

/** A list right inside a list belongs to the item before it. */
function nest(items: string[], [block]: string[]): void {
  if (block === undefined) return;
  const last = items.pop();
  if (last === undefined) items.push(block);
  else items.push(`${last}\n${" ".repeat(markerWidth(last))}${indent(block, markerWidth(last))}`);
}

function markerWidth(item: string): number {
  return /^(?:[-*+]|\d{1,9}[.)])\s/.exec(item)?.[0].length ?? 2;
}

/** Every line but the first moves below the text behind the marker. */
function indent(text: string, width: number): string {
  return text.replace(/\n(?=[^\n])/g, `\n${" ".repeat(width)}`);
}
