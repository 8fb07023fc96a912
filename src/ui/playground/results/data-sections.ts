import { isValues } from "../request/body.ts";
import type { Evidence } from "./result-shapes.ts";

/** A value of a result with its path, such as `offers[0].price`. */
export interface Cell {
  path: string;
  value: unknown;
}

/** A table of a result: one row for each field of an object, or for each object of a list. */
export interface Section {
  /** Path of the list; empty for the fields of the result itself. */
  path: string;
  /** Columns of a list; undefined for a table of fields. */
  columns: string[] | undefined;
  rows: Cell[][];
}

const MAX_COLUMNS = 20;
const MAX_DEPTH = 6;

/** Returns the tables of structured data: the fields of objects first, then one for each list of objects. */
export function toSections(value: unknown): Section[] {
  if (isTable(value)) return [listSection("", value)];
  const fields: Cell[] = [];
  const lists: Section[] = [];
  collect(value, { path: "", depth: 0 }, { fields, lists });
  const own = { path: "", columns: undefined, rows: fields.map((cell) => [cell]) };
  return fields.length === 0 ? lists : [own, ...lists];
}

interface Place {
  path: string;
  depth: number;
}

function collect(value: unknown, { path, depth }: Place, into: { fields: Cell[]; lists: Section[] }): void {
  if (isTable(value)) into.lists.push(listSection(path, value));
  else if (isValues(value) && depth < MAX_DEPTH && Object.keys(value).length > 0) {
    for (const [name, inner] of Object.entries(value)) {
      collect(inner, { path: path === "" ? name : `${path}.${name}`, depth: depth + 1 }, into);
    }
  } else into.fields.push({ path, value });
}

function isTable(value: unknown): value is Record<string, unknown>[] {
  return Array.isArray(value) && value.length > 0 && value.every(isValues);
}

function listSection(path: string, items: readonly Record<string, unknown>[]): Section {
  const lines = items.map((item) => new Map(fieldsOf(item)));
  const columns = [...new Set(lines.flatMap((line) => [...line.keys()]))].slice(0, MAX_COLUMNS);
  const rows = lines.map((line, at) =>
    columns.map((name) => ({ path: `${path}[${at}].${name}`, value: line.get(name) })),
  );
  return { path, columns, rows };
}

/** Returns the fields of an object, with those of its objects: `price.amount`. */
function fieldsOf(item: Record<string, unknown>, above = "", depth = 0): [name: string, value: unknown][] {
  return Object.entries(item).flatMap(([name, value]): [string, unknown][] => {
    const isInner = isValues(value) && depth < MAX_DEPTH && Object.keys(value).length > 0;
    return isInner ? fieldsOf(value, `${above}${name}.`, depth + 1) : [[`${above}${name}`, value]];
  });
}

/** Returns a value as the text of a cell. */
export function toText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value) && value.every((item) => typeof item !== "object")) return value.join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Returns the evidence of a path or of the values below it: `tags[0]` for `tags`. */
export function evidenceOf(path: string, evidence: ReadonlyMap<string, Evidence[]>): Evidence[] {
  const exact = evidence.get(path);
  if (exact !== undefined) return exact;
  const below = [...evidence].filter(([field]) => field.startsWith(`${path}[`) || field.startsWith(`${path}.`));
  return path === "" ? [] : below.flatMap(([, found]) => found);
}

/** Groups evidence by field. A list at the root has paths that begin with its index. */
export function byField(evidence: readonly Evidence[]): Map<string, Evidence[]> {
  const fields = new Map<string, Evidence[]>();
  for (const one of evidence) {
    const found = fields.get(one.field);
    if (found === undefined) fields.set(one.field, [one]);
    else found.push(one);
  }
  return fields;
}

/** Returns a table as CSV (RFC 4180). Texts that spreadsheets would run as formulas get an apostrophe. */
export function toCsv({ columns, rows }: Section): string {
  const head = columns ?? ["field", "value"];
  const lines = rows.map((row) =>
    columns === undefined ? [row[0]?.path, toText(row[0]?.value)] : row.map(({ value }) => toText(value)),
  );
  return [head, ...lines].map((line) => line.map((cell = "") => quoted(cell)).join(",")).join("\r\n") + "\r\n";
}

function quoted(text: string): string {
  const isFormula = /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text));
  const safe = isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
