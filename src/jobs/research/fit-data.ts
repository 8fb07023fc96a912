import { leavesOf } from "../../content/structured-data/evidence/provenance.ts";
import { fieldName, type Evidence } from "../../core/scrape/evidence.ts";
import { copyText } from "../../core/text/copy-text.ts";

/** Data of a page, with the evidence of its values. */
export interface FoundData {
  value: unknown;
  evidence: readonly Evidence[];
}

export interface FittedData<Data extends FoundData> {
  data: Data;
  /** Bytes that the data and their evidence take in memory, about. */
  bytes: number;
  isCut: boolean;
}

/** Bytes of a value in memory beside its text, and of an evidence: its object, and texts that it shares with others. */
const BYTES_OF_A_VALUE = 32;
const BYTES_OF_AN_EVIDENCE = 128;
/** A character that makes its text take two bytes for each. */
const WIDE = /[^\0-\xff]/;
/** A shorter part of a text is a text of its own. */
const LEAST_PART_CHARS = 13;

/**
 * Cuts data to what takes so many bytes in memory: lists lose their last items, objects their last fields, and a text is
 * there as a whole or not at all. Evidence stays with its value.
 */
export function fitData<Data extends FoundData>(data: Data, maxBytes: number): FittedData<Data> {
  const { value, evidence } = data;
  const valueBytes = bytesOf(value);
  const bytes = valueBytes + bytesOfAll(evidence);
  if (bytes <= maxBytes) return { data: { ...data, evidence: evidence.map(ownQuote) }, bytes, isCut: false };
  const kept = firstPart(value, Math.floor((maxBytes * valueBytes) / bytes));
  const keptBytes = bytesOf(kept);
  const fields = new Set(leavesOf(kept).map(({ path }) => fieldName(path)));
  const backed = firstEvidence(
    evidence.filter(({ field }) => fields.has(field)),
    maxBytes - keptBytes,
  ).map(ownQuote);
  return {
    data: { ...data, value: kept, evidence: backed },
    bytes: keptBytes + bytesOfAll(backed),
    isCut: true,
  };
}

/** Returns the first evidence, which takes so many bytes. */
export function firstEvidence(evidence: readonly Evidence[], maxBytes: number): Evidence[] {
  let bytes = 0;
  const end = evidence.findIndex((each) => (bytes += bytesOfEvidence(each)) > maxBytes);
  return end < 0 ? [...evidence] : evidence.slice(0, end);
}

/** Returns the part of a value that comes first in it and takes so many bytes; undefined for a text that takes more. */
function firstPart(value: unknown, maxBytes: number): unknown {
  if (bytesOf(value, maxBytes) <= maxBytes) return value;
  if (Array.isArray(value)) return firstItems(value, maxBytes);
  if (typeof value !== "object" || value === null) return undefined;
  let left = maxBytes - BYTES_OF_A_VALUE;
  const kept: [string, unknown][] = [];
  for (const [name, inner] of Object.entries(value)) {
    left -= bytesOfText(name);
    if (left <= 0) break;
    const part = firstPart(inner, left);
    if (part === undefined) continue;
    kept.push([name, part]);
    left -= bytesOf(part);
  }
  return Object.fromEntries(kept);
}

/** Items are there as a whole, but for a first one that is too large by itself. */
function firstItems(items: readonly unknown[], maxBytes: number): unknown[] {
  let left = maxBytes - BYTES_OF_A_VALUE;
  const kept: unknown[] = [];
  for (const item of items) {
    const bytes = bytesOf(item, left);
    if (bytes <= left) kept.push(item);
    else {
      const part = kept.length === 0 ? firstPart(item, left) : undefined;
      return part === undefined ? kept : [part];
    }
    left -= bytes;
  }
  return kept;
}

/** Returns the bytes of a JSON value; counts no further than a number of them. */
function bytesOf(value: unknown, most = Infinity): number {
  if (value === undefined) return 0;
  if (typeof value === "string") return BYTES_OF_A_VALUE + bytesOfText(value);
  let bytes = BYTES_OF_A_VALUE;
  if (typeof value !== "object" || value === null) return bytes;
  if (!Array.isArray(value)) bytes += Object.keys(value).reduce((sum, name) => sum + bytesOfText(name), 0);
  for (const inner of Array.isArray(value) ? value : Object.values(value)) {
    if (bytes > most) break;
    bytes += bytesOf(inner, most - bytes);
  }
  return bytes;
}

function bytesOfAll(evidence: readonly Evidence[]): number {
  return evidence.reduce((sum, each) => sum + bytesOfEvidence(each), 0);
}

function bytesOfEvidence({ field, value = "", quote = "" }: Evidence): number {
  return BYTES_OF_AN_EVIDENCE + bytesOfText(field) + bytesOfText(value) + bytesOfText(quote);
}

function bytesOfText(text: string): number {
  return text.length * (WIDE.test(text) ? 2 : 1);
}

/** A quote is a part of its page, and would keep all of it in memory. */
function ownQuote(evidence: Evidence): Evidence {
  const { quote = "" } = evidence;
  return quote.length < LEAST_PART_CHARS ? evidence : { ...evidence, quote: copyText(quote) };
}
