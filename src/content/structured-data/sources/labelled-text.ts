import type { ElementNode } from "../../html/tree/tree.ts";
import { oneLine, textFact, type Fact, type FactSource } from "../facts.ts";
import {
  blocksIn,
  childElements,
  descendants,
  factOf,
  isSilent,
  MAX_TEXT_CHARS,
  readableText,
} from "../readable-text.ts";

const MAX_LABEL_CHARS = 48;
const MAX_LABEL_WORDS = 6;
const MAX_VALUE_CHARS = 600;
/** Maximum number of labels above one value, and of facts of one list. */
const MAX_LABELS = 20;
const MAX_DEFINITIONS = 5_000;
/** Maximum number of entries of a list that is a value. */
const MAX_ITEMS = 1_000;
/** `Label: value`; the colon of CJK too. A clock or a scheme is no label. */
const LABELLED = /^([\p{L}][^:：\n]{0,47}?)\s*[:：]\s*(?!\/\/)(\S[\s\S]*)$/u;
const BOLD = new Set(["b", "strong", "em", "dt", "label", "th"]);
const LABEL_CLASS =
  /(?:^|[-_\s])(?:label|key|term|attr(?:ibute)?-?name|field-?name|property|caption|heading|head|title|name|lbl|stat-?label|prop|bezeichner)(?:$|[-_\s])/i;
const VALUE_CLASS =
  /(?:^|[-_\s])(?:value|val|data|content|definition|desc|detail|info|text|number|figure|stat)(?:$|[-_\s])/i;

/** Returns the facts of definition lists. */
export function readDefinitions(list: ElementNode, baseUrl: string): Fact[] {
  const facts: Fact[] = [];
  let labels: string[] = [];
  let hadValue = false;
  for (const entry of descendants(list, ({ tag }) => tag === "dt" || tag === "dd")) {
    if (isSilent(entry)) continue;
    if (facts.length >= MAX_DEFINITIONS) break;
    if (entry.tag === "dt") {
      if (hadValue) labels = [];
      hadValue = false;
      if (labels.length < MAX_LABELS) labels.push(trimLabel(readableText(entry)));
      continue;
    }
    hadValue = true;
    for (const label of labels) pushFact(facts, { label, element: entry, source: "definitions", baseUrl });
  }
  return facts;
}

interface Labelling {
  label: string;
  element: ElementNode;
  source: FactSource;
  baseUrl: string;
}

export function pushFact(facts: Fact[], { label, element, source, baseUrl }: Labelling): void {
  if (!isLabel(label)) return;
  const items = descendants(element, ({ tag }) => tag === "li")
    .slice(0, MAX_ITEMS)
    .map((item) => factOf(item, baseUrl));
  const value = factOf(element, baseUrl);
  if (value.text === "" && value.href === undefined) return;
  facts.push({ label, value: items.length > 1 ? { kind: "list", items } : value, source });
}

export function isLabel(label: string): boolean {
  if (label === "" || label.length > MAX_LABEL_CHARS || !/\p{L}/u.test(label)) return false;
  return label.split(" ").length <= MAX_LABEL_WORDS && !/[.!?]$/.test(label.replace(/\b\p{L}{1,3}\.$/u, ""));
}

export function trimLabel(text: string): string {
  // A text of this length is not a label, whatever it ends in.
  if (text.length > 4 * MAX_TEXT_CHARS) return oneLine(text.slice(0, MAX_TEXT_CHARS));
  return oneLine(text).replace(/(?:(?<!\s)\s+|(?<![\s:：?*]))[:：?*]+$/, "");
}

/**
 * Returns the label and value of an element that holds nothing else: `<li><b>Label</b> value</li>`, `<p>Label:
 * value</p>`, two elements side by side of which one is called a label.
 */
export function readPair(element: ElementNode, baseUrl: string): Fact | undefined {
  const inner = childElements(element).filter((child) => !isSilent(child) && child.tag !== "br");
  const text = readableText(element);
  if (text === "" || text.length > MAX_VALUE_CHARS) return undefined;
  return pairOfElements(element, { inner, text, baseUrl }) ?? pairOfText(element, { text, baseUrl });
}

interface Pairing {
  inner: ElementNode[];
  text: string;
  baseUrl: string;
}

function pairOfElements(element: ElementNode, { inner, text, baseUrl }: Pairing): Fact | undefined {
  const [first, second] = inner;
  if (first === undefined) return undefined;
  const label = readableText(first);
  const rest = text.startsWith(label) ? oneLine(text.slice(label.length)).replace(/^[:：–—-]\s*/, "") : "";
  const isBold = BOLD.has(first.tag) && rest !== "";
  const endsLikeLabel = /[:：]$/.test(label) || /^[:：]/.test(oneLine(text.slice(label.length)));
  if (inner.length === 2 && second !== undefined) {
    const value = readableText(second);
    const isWhole = oneLine(`${label} ${value}`).length >= text.length - 2;
    const called = (child: ElementNode, pattern: RegExp): boolean => pattern.test(child.attributes["class"] ?? "");
    if (
      isWhole &&
      isLabel(trimLabel(label)) &&
      (endsLikeLabel || isBold || (called(first, LABEL_CLASS) && called(second, VALUE_CLASS)))
    ) {
      return { label: trimLabel(label), value: factOf(second, baseUrl), source: "labels" };
    }
    if (isWhole && isLabel(trimLabel(value)) && called(first, VALUE_CLASS) && called(second, LABEL_CLASS)) {
      return { label: trimLabel(value), value: factOf(first, baseUrl), source: "labels" };
    }
  }
  if (
    rest === "" ||
    !isLabel(trimLabel(label)) ||
    !(endsLikeLabel || (isBold && inner.length === 1 && rest.length <= 120))
  )
    return undefined;
  const { machine, href } = factOf(element, baseUrl);
  return { label: trimLabel(label), value: textFact(rest, { machine, href }), source: "labels" };
}

function pairOfText(element: ElementNode, { text, baseUrl }: Omit<Pairing, "inner">): Fact | undefined {
  const match = LABELLED.exec(text);
  const label = trimLabel(match?.[1] ?? "");
  const value = match?.[2] ?? "";
  if (blocksIn(element) > 0) return undefined;
  if (!isLabel(label) || value === "" || (/^\d{2}\b/.test(value) && /\d$/.test(label))) return undefined;
  if (value.length > 300 || label.split(" ").length > 4) return undefined;
  const { machine, href } = factOf(element, baseUrl);
  return { label, value: textFact(value, { machine, href }), source: "labels" };
}

/** `Label: value` lines of a block whose lines are parted by line breaks, and `a: b | c: d` ones. */
export function readLines(element: ElementNode, baseUrl: string): Fact[] {
  const lines: string[] = [];
  let line = "";
  for (const child of element.children) {
    if (typeof child === "string") line += child;
    else if (child.tag === "br") {
      lines.push(line);
      line = "";
    } else if (!isSilent(child)) line += ` ${readableText(child)} `;
  }
  lines.push(line);
  const parts = lines.length > 1 ? lines : lines.flatMap((only) => only.split(/\s[|·•]\s/));
  if (parts.length < 2) return [];
  const { href } = factOf(element, baseUrl);
  return parts.flatMap((part) => {
    const match = LABELLED.exec(oneLine(part));
    const label = trimLabel(match?.[1] ?? "");
    if (match === null || !isLabel(label) || label.split(" ").length > 4) return [];
    const value = match[2] ?? "";
    return [{ label, value: textFact(value, value.includes("@") ? { href } : {}), source: "labels" as const }];
  });
}
