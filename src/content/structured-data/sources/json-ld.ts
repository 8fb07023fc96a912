import { MAX_REPAIRED_CHARS, repairJson } from "../../../core/schema/repair-json.ts";
import { WorkBudget } from "../../../core/work-budget.ts";
import { resolveUrl } from "../../html/resolve-url.ts";
import { decodeEntities } from "./entities.ts";
import { textFact, type Fact, type FactRecord, type FactText, type FactValue } from "../facts.ts";

const MAX_DEPTH = 8;
const MAX_NODES = 5_000;
const MAX_QUICK_NODES = 400;
/** Characters of JSON that are parsed in the time of a step. */
const CHARS_PER_STEP = 16;

type Node = Record<string, unknown>;

/** Records read from the scripts of pages that are still in use. */
const known = new WeakMap<readonly string[], { baseUrl: string; records: FactRecord[] }>();

/**
 * Returns the records of a page's JSON-LD (JSON-LD 1.1, as schema.org uses it): graphs flattened, references followed.
 * The scripts of a page are read once, however often they are requested. A quick reading leaves out work that may take
 * longer than a whole page: repairing invalid JSON, and following references in circles. Parts beyond the budget are
 * left out and named in it.
 */
export function readJsonLd(
  scripts: readonly string[],
  baseUrl: string,
  { isQuick = false, budget = new WorkBudget() }: { isQuick?: boolean; budget?: WorkBudget } = {},
): FactRecord[] {
  const before = known.get(scripts);
  if (before?.baseUrl === baseUrl) return before.records;
  const parsed = scripts.map((script) => parseScript(script, isQuick, budget));
  const roots = parsed.flatMap((nodes) => nodes ?? []);
  const byId = new Map<string, Node>();
  for (const root of roots) collectIds(root, { byId, budget }, 0);
  const reader = new Reader(byId, { baseUrl, budget, maxNodes: isQuick ? MAX_QUICK_NODES : MAX_NODES });
  const records = roots.flatMap((root) => reader.record(root, 0) ?? []);
  if (budget.isSpent) budget.cut("structured data");
  if (!isQuick || (reader.left > 0 && !parsed.includes(undefined))) known.set(scripts, { baseUrl, records });
  return records;
}

/** Returns the nodes of a script; undefined for one that cannot be read. */
function parseScript(script: string, isQuick: boolean, budget: WorkBudget): Node[] | undefined {
  if (!budget.take(1 + Math.ceil(script.length / CHARS_PER_STEP))) return undefined;
  const text = script.replace(/^\s*(?:<!--|\/\*.*?\*\/|<!\[CDATA\[)|(?:-->|\]\]>)\s*$/g, "").trim();
  if (text === "") return [];
  const nodes = rootsIn(text, { keepsDigits: !isQuick && text.length <= MAX_EXACT_CHARS });
  if (nodes !== undefined || isQuick) return nodes;
  if (text.length > MAX_REPAIRED_CHARS) budget.cut("structured data");
  const repaired = repairJson(text, budget);
  return repaired === undefined ? undefined : rootsIn(repaired, { keepsDigits: true });
}

/**
 * Returns the root nodes of a script; undefined when it is not JSON, or nested too deeply. All digits of long numbers are
 * kept by a function that the parser calls for each value, which takes several times as long.
 */
function rootsIn(json: string, { keepsDigits }: { keepsDigits: boolean }): Node[] | undefined {
  try {
    return rootsOf(keepsDigits && LONG_NUMBER.test(json) ? JSON.parse(json, withAllDigits) : JSON.parse(json));
  } catch {
    return undefined;
  }
}

/** A whole number with more digits than a JavaScript number holds. */
const LONG_NUMBER = /[[:,]\s*-?\d{16,}\s*[\],}]/;

/** Returns the digits of a number that does not hold them all as text, and other values as they are. */
function withAllDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  const { source = "" } = context ?? {};
  return /^-?\d+$/.test(source) ? source : value;
}

/** Characters of a script in which all digits of numbers are kept. */
const MAX_EXACT_CHARS = 1_000_000;
/** Zeros that a number may be written with in place of an exponent. */
const MAX_SHIFT = 30;

/** Returns a number without an exponent, which texts do not have. One beyond any amount keeps it. */
function plainDigits(value: number): string {
  const [, sign = "", first = "", rest = "", exponent = ""] =
    /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(String(value)) ?? [];
  const shift = Number(exponent);
  if (exponent === "" || Math.abs(shift) > MAX_SHIFT) return String(value);
  return shift < 0
    ? `${sign}0.${"0".repeat(-shift - 1)}${first}${rest}`
    : `${sign}${first}${rest}${"0".repeat(Math.max(0, shift - rest.length))}`;
}

function rootsOf(value: unknown): Node[] {
  if (Array.isArray(value)) return value.flatMap(rootsOf);
  if (!isNode(value)) return [];
  const graph = value["@graph"];
  return graph === undefined ? [value] : rootsOf(graph);
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function collectIds(value: unknown, found: { byId: Map<string, Node>; budget: WorkBudget }, depth: number): void {
  const { byId, budget } = found;
  if (depth > MAX_DEPTH || !budget.take()) return;
  if (Array.isArray(value)) for (const item of value) collectIds(item, found, depth + 1);
  if (!isNode(value)) return;
  const id = value["@id"];
  if (typeof id === "string" && Object.keys(value).length > 1 && !byId.has(id)) byId.set(id, value);
  for (const inner of Object.values(value)) collectIds(inner, found, depth + 1);
}

class Reader {
  readonly #byId: Map<string, Node>;
  readonly #baseUrl: string;
  readonly #budget: WorkBudget;
  /** Number of nodes that may still be read. */
  left: number;

  constructor(
    byId: Map<string, Node>,
    { baseUrl, budget, maxNodes }: { baseUrl: string; budget: WorkBudget; maxNodes: number },
  ) {
    this.left = maxNodes;
    this.#budget = budget;
    this.#byId = byId;
    this.#baseUrl = baseUrl;
  }

  record(given: Node, depth: number): FactRecord | undefined {
    if (depth > MAX_DEPTH || this.left-- <= 0) return undefined;
    const id = given["@id"];
    const isReference = Object.keys(given).every((key) => key === "@id" || key === "@type");
    const node = isReference && typeof id === "string" ? (this.#byId.get(id) ?? given) : given;
    const facts: Fact[] = [];
    for (const [key, value] of Object.entries(node)) {
      if (!this.#budget.take()) break;
      if (key.startsWith("@")) continue;
      const read = this.#value(value, depth);
      if (read !== undefined) facts.push({ label: key.replace(/^.*[:/#]/, ""), value: read, source: "json-ld" });
    }
    return facts.length === 0 ? undefined : { kind: "record", source: "json-ld", types: typesOf(node), facts };
  }

  #value(value: unknown, depth: number): FactValue | undefined {
    if (!this.#budget.take()) return undefined;
    if (Array.isArray(value)) {
      if (depth > MAX_DEPTH) {
        this.#budget.cut("structured data");
        return undefined;
      }
      const items = value.flatMap((item) => {
        const read = this.#value(item, depth + 1);
        return read === undefined ? [] : read.kind === "list" ? read.items : [read];
      });
      return items.length === 0 ? undefined : items.length === 1 ? items[0] : { kind: "list", items };
    }
    if (!isNode(value)) return this.#text(value);
    if (value["@value"] !== undefined) return this.#text(value["@value"]);
    return this.record(value, depth + 1);
  }

  #text(value: unknown): FactText | undefined {
    if (typeof value === "number" || typeof value === "boolean") {
      const shown = typeof value === "number" ? plainDigits(value) : String(value);
      return textFact(shown, { machine: shown });
    }
    if (typeof value !== "string" || value.trim() === "") return undefined;
    const text = decodeEntities(value);
    const href =
      /^(?:https?:)?\/\//.test(text) || /^\/[\w./-]+$/.test(text) ? resolveUrl(text, this.#baseUrl) : undefined;
    return textFact(text, { machine: text, href });
  }
}

function typesOf(node: Node): string[] {
  const types = node["@type"];
  const list = Array.isArray(types) ? types : [types];
  return list.flatMap((type) => (typeof type === "string" ? [type.replace(/^.*[:/#]/, "")] : []));
}
