import { recordsOf } from "./candidates.ts";
import { oneLine, type FactRecord, type FactText, type FactValue } from "../facts.ts";

/** Returns the values of a record's facts under one of the labels, in the order of the labels. */
function valuesOf(record: FactRecord, labels: readonly string[]): FactValue[] {
  return labels.flatMap((wanted) =>
    record.facts.flatMap(({ label, value }) =>
      label.toLowerCase() === wanted.toLowerCase() ? (value.kind === "list" ? value.items : [value]) : [],
    ),
  );
}

/** Returns the texts under the labels; a record is represented by its name. */
export function textsIn(record: FactRecord, ...labels: string[]): FactText[] {
  return valuesOf(record, labels).flatMap((value) => {
    if (value.kind === "text") return [value];
    if (value.kind === "list") return [];
    return valuesOf(value, ["name"]).filter((name) => name.kind === "text");
  });
}

/** Returns the first text under the labels that is not empty, in one line. */
export function textIn(record: FactRecord, ...labels: string[]): string | undefined {
  return textsIn(record, ...labels)
    .map(({ text }) => oneLine(text))
    .find((text) => text !== "");
}

/** Returns the machine-readable text of the first value under the labels, or its visible text. */
export function machineIn(record: FactRecord, ...labels: string[]): string | undefined {
  const [first] = textsIn(record, ...labels);
  return first === undefined ? undefined : (first.machine ?? first.text);
}

/**
 * Returns the addresses under the labels; a record such as an `ImageObject` is represented by its `url` or
 * `contentUrl`.
 */
export function addressesIn(record: FactRecord, ...labels: string[]): string[] {
  const found = valuesOf(record, labels).flatMap((value) => {
    if (value.kind === "text") return [value.href ?? ""];
    return value.kind === "record" ? addressesIn(value, "contentUrl", "url").slice(0, 1) : [];
  });
  return [...new Set(found.filter((address) => address !== ""))];
}

/** Returns the records under the labels. */
export function recordsIn(record: FactRecord, ...labels: string[]): FactRecord[] {
  return valuesOf(record, labels).flatMap(recordsOf);
}

export function isOfType(record: FactRecord, types: ReadonlySet<string>): boolean {
  return record.types.some((type) => types.has(type));
}
