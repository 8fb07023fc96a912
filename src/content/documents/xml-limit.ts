import type { WorkBudget } from "../../core/work-budget.ts";

export interface XmlLimits {
  /** Number of elements that are retained; the rest is cut. */
  maxElements: number;
  /** Depth of elements at which the text ends: readers recurse into each, or search among the open ones. */
  maxDepth?: number;
  budget: WorkBudget;
}

const MAX_DEPTH = 400;
/** Comments, instructions and elements outside of the root: readers compare each new one with all that are there. */
const MAX_OUTSIDE_ROOT = 100;
/** A longer tag counts as one with content, whatever it ends with. */
const MAX_TAG_CHARS = 10_000;
/** Cost of an element for code that builds objects of it. */
const STEPS_PER_ELEMENT = 4;

/**
 * Cuts XML in front of the first element beyond the limit, and closes the elements that are open there, so that a
 * reader that creates objects for everything receives a whole document of bounded size. Comments, tags and others that do
 * not end are cut as well, and so is what is outside of the root element, if there is much of it. A document type is left
 * out: it is not needed, and it defines entities that may expand to large texts. Reads tags alone, in one pass.
 */
export function limitXml(
  text: string,
  { maxElements, maxDepth = MAX_DEPTH, budget }: XmlLimits,
): { text: string; isCut: boolean } {
  const open: string[] = [];
  let start = startOf(text);
  let elements = 0;
  let outside = 0;
  for (let at = text.indexOf("<", start); at !== -1; at = text.indexOf("<", at)) {
    if (open.length === 0 && ++outside > MAX_OUTSIDE_ROOT) {
      if (elements > 0) return { text: text.slice(start, at), isCut: false };
      start = at;
    }
    const passed = passedOver(text, at);
    if (passed === "unended") return { ...cutAt(text, { start, at, open }), isCut: false };
    if (passed !== undefined) {
      at = passed;
      continue;
    }
    const end = text.indexOf(">", at);
    if (end === -1) return { ...cutAt(text, { start, at, open }), isCut: false };
    if (text[at + 1] === "/") open.pop();
    else {
      const isEmpty = text[quotedEnd(text, at, end) - 1] === "/";
      if (++elements > maxElements || open.length >= maxDepth || !budget.take(STEPS_PER_ELEMENT))
        return cutAt(text, { start, at, open });
      if (!isEmpty) open.push(nameAt(text, at + 1, end));
    }
    at = end + 1;
  }
  return { text: start === 0 ? text : text.slice(start), isCut: false };
}

/** Returns the position behind the document type, when there is one in front of the first element. */
function startOf(text: string): number {
  const type = text.slice(0, 2_000).search(/<!DOCTYPE/i);
  if (type === -1) return 0;
  const subset = text.indexOf("[", type);
  const end = text.indexOf(">", type);
  const last = subset !== -1 && subset < end ? text.indexOf(">", Math.max(subset, text.indexOf("]", subset))) : end;
  return last === -1 ? text.length : last + 1;
}

/** Returns the end of a tag, of which attributes may contain the character that ends it. */
function quotedEnd(text: string, at: number, end: number): number {
  const tag = text.slice(at, end);
  if (!tag.includes('"') && !tag.includes("'")) return end;
  const matched = /^<(?:[^<>"']|"[^"]*"|'[^']*')*>/.exec(text.slice(at, at + MAX_TAG_CHARS));
  return matched === null ? end : at + matched[0].length - 1;
}

/** Returns the end of a comment, a CDATA section or an instruction; undefined for a tag. */
function passedOver(text: string, at: number): number | "unended" | undefined {
  const mark = text.slice(at, at + 9);
  const end = mark.startsWith("<!--")
    ? text.indexOf("-->", at)
    : mark === "<![CDATA["
      ? text.indexOf("]]>", at)
      : mark.startsWith("<?")
        ? text.indexOf("?>", at)
        : mark.startsWith("<!")
          ? text.indexOf(">", at)
          : undefined;
  return end === undefined ? undefined : end === -1 ? "unended" : end + 1;
}

function nameAt(text: string, from: number, end: number): string {
  let to = from;
  while (to < end && !/[\s/>]/.test(text[to] ?? "")) to++;
  return text.slice(from, to);
}

function cutAt(
  text: string,
  { start, at, open }: { start: number; at: number; open: readonly string[] },
): { text: string; isCut: boolean } {
  const closing = open.toReversed().map((name) => `</${name}>`);
  return { text: text.slice(start, at) + closing.join(""), isCut: true };
}

/** Counts start tags: at least the number of elements. */
export function countElements(text: string): number {
  let elements = 0;
  for (let at = text.indexOf("<"); at !== -1; at = text.indexOf("<", at + 1)) if (text[at + 1] !== "/") elements++;
  return elements;
}
