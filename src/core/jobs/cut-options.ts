import { readOwn } from "../stored-state.ts";
import { utf8Length } from "../text/utf8.ts";

/** Options of a job, as JSON text. */
export interface CutOptions {
  json: string;
  /** True when fields were left out. */
  isCut: boolean;
}

/** Returns options, a JSON object, in at most `maxBytes` of UTF-8: the longest fields are left out, the others stay in order. */
export function cutOptions(optionsJson: string, maxBytes: number): CutOptions {
  if (utf8Length(optionsJson) <= maxBytes) return { json: optionsJson, isCut: false };
  const fields = Object.entries(readOwn<Record<string, unknown>>(optionsJson));
  const sized = fields.map(([name, value]) => ({ name, bytes: utf8Length(JSON.stringify({ [name]: value })) }));
  const kept = new Set<string>();
  let bytes = 2;
  for (const field of sized.toSorted((one, other) => one.bytes - other.bytes)) {
    bytes += field.bytes;
    if (bytes > maxBytes) break;
    kept.add(field.name);
  }
  return { json: JSON.stringify(Object.fromEntries(fields.filter(([name]) => kept.has(name)))), isCut: true };
}
