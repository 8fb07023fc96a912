import { textFact, type Fact, type FactGroup, type StructuredData } from "../structured-data/facts.ts";
import { isLabel, trimLabel } from "../structured-data/sources/labelled-text.ts";
import { findValues } from "./value-kinds.ts";

/** Lines beyond are not read. */
const MAX_LINES = 20_000;
const MAX_VALUE_CHARS = 600;
const LABELLED = /^([\p{L}][^:：|]{0,47}?)\s*[:：]\s*(?!\/\/)(\S.*)$/u;
const RULE_CELL = /^:?-{2,}:?$/;

/**
 * Reads the labelled facts of a page of which only the markdown is known: `Label: value` lines, tables, the first
 * heading as the name, and the one price that is alone on a line below it as the price.
 */
export function readMarkdownFacts({
  title,
  markdown,
  url,
}: {
  title: string;
  markdown: string;
  url?: string | undefined;
}): StructuredData {
  const facts: Fact[] = [];
  const groups: FactGroup[] = [];
  let table: string[][] = [];
  let heading = "";
  let term = "";
  let hasName = false;
  let isBelowName = false;
  const prices = new Set<string>();
  const endTable = (): void => {
    readRows(table, { heading, facts, groups });
    table = [];
  };
  for (const line of markdown.split("\n", MAX_LINES)) {
    if (line.startsWith("|")) {
      if (!isRuleRow(line)) table.push(cellsOf(line));
      continue;
    }
    if (table.length > 0) endTable();
    const head = /^#{1,6}\s+(?!\s)(.*)$/.exec(line)?.[1];
    if (head !== undefined) {
      heading = plainText(head);
      if (!hasName && /^#\s/.test(line)) facts.push({ label: "name", value: textFact(heading), source: "heading" });
      isBelowName = !hasName && /^#\s/.test(line);
      hasName ||= isBelowName;
      continue;
    }
    const fact = readLine(line) ?? readTerm(term, line);
    if (fact !== undefined) facts.push(fact);
    else if (isBelowName && isPrice(line)) prices.add(plainText(line));
    if (line.trim() !== "") term = line;
  }
  endTable();
  const [price = ""] = prices;
  if (prices.size === 1) facts.push({ label: "price", value: textFact(price), source: "text" });
  if (title !== "") facts.push({ label: "title", value: textFact(title), source: "text" });
  return {
    records: [],
    page: { kind: "record", source: "labels", types: [], facts },
    groups,
    language: "",
    baseUrl: url ?? "https://page.invalid/",
  };
}

/** Reports whether a row is the rule below the head of a table: `|---|:--:|`. */
function isRuleRow(row: string): boolean {
  return row
    .trim()
    .replace(/^\||\|$/g, "")
    .split("|")
    .every((cell) => RULE_CELL.test(cell.trim()));
}

/** Reports whether a line is a price and nothing else; one that is struck through is not the price. */
function isPrice(line: string): boolean {
  if (line.length > MAX_VALUE_CHARS || line.includes("~~")) return false;
  const text = plainText(line);
  return findValues("price", text).some((value) => value.text === text);
}

function readLine(line: string): Fact | undefined {
  if (line.length > MAX_VALUE_CHARS) return undefined;
  const match = LABELLED.exec(plainText(line.replace(/^\s*(?:[-*+]|\d+[.)])\s+/, "")));
  const label = trimLabel(match?.[1] ?? "");
  if (match === null || !isLabel(label) || label.split(" ").length > 4) return undefined;
  return { label, value: textFact(match[2] ?? ""), source: "labels" };
}

/** Reads a description list: a line in bold, and its value on the line below. */
function readTerm(term: string, line: string): Fact | undefined {
  const bold = /^\*\*([^*]+)\*\*$/.exec(term.trim())?.[1];
  const value = plainText(line.replace(/^\s*:\s+/, ""));
  if (bold === undefined || value === "" || line.length > MAX_VALUE_CHARS || /^\s*(?:\*\*|#)/.test(line))
    return undefined;
  const label = trimLabel(bold);
  return isLabel(label) ? { label, value: textFact(value), source: "labels" } : undefined;
}

function cellsOf(line: string): string[] {
  return line
    .replace(/^\s*\||\|\s*$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => plainText(cell));
}

/** Reads a table: rows of two cells are labels and values, rows under a head are records. */
function readRows(
  rows: readonly string[][],
  { heading, facts, groups }: { heading: string; facts: Fact[]; groups: FactGroup[] },
): void {
  const [head, ...others] = rows;
  if (head === undefined) return;
  if (head.length === 2) {
    for (const [label = "", value = ""] of rows) {
      if (isLabel(trimLabel(label)) && value !== "")
        facts.push({ label: trimLabel(label), value: textFact(value), source: "table" });
    }
  }
  const records = others.flatMap((cells) => {
    const inner = cells.flatMap((cell, index): Fact[] => {
      const label = head[index] ?? "";
      if (cell === "") return [];
      const name: Fact[] = index === 0 ? [{ label: "name", value: textFact(cell), source: "text" }] : [];
      return isLabel(label) ? [{ label, value: textFact(cell), source: "table" }, ...name] : name;
    });
    return inner.length < 2 ? [] : [{ kind: "record" as const, source: "table" as const, types: [], facts: inner }];
  });
  if (records.length > 0) groups.push({ labels: heading === "" ? [] : [heading], records });
}

/**
 * The address of a link, with at most one level of brackets in it. Repetitions are bounded, so that brackets that are never closed
 * take linear time.
 */
const ADDRESS = String.raw`\((?:[^()]|\([^()]{0,300}\)){0,2000}\)`;
const PICTURE = new RegExp(String.raw`!\[[^\][]{0,1000}\]${ADDRESS}`, "g");
const LINK = new RegExp(String.raw`\[([^\][]{0,1000})\]${ADDRESS}`, "g");

/** Returns the words of a line of markdown: without marks, pictures and the addresses of links. */
export function plainText(line: string): string {
  return line
    .replace(PICTURE, " ")
    .replace(LINK, "$1")
    .replace(/(?:\*\*|__|~~|`)/g, "")
    .replace(/(?<![\p{L}\p{N}])[*_]|[*_](?![\p{L}\p{N}])/gu, "")
    .replace(/\\([\\`*_{}[\]()#+\-.!|>~])/g, "$1")
    .replace(/\s+/g, " ")
    .trim();
}
