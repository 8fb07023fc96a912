import { recordsOf } from "./candidates.ts";
import { oneLine, type FactRecord, type FactText, type FactValue } from "../facts.ts";

/** The values of a record's facts under one of the labels, in the order of the labels. */
function valuesOf(record: FactRecord, labels: readonly string[]): FactValue[] {
  return labels.flatMap((wanted) =>
    record.facts.flatMap(({ label, value }) =>
      label.toLowerCase() === wanted.toLowerCase() ? (value.kind === "list" ? value.items : [value]) : [],
    ),
  );
}

/** Texts under the labels; a record stands for its name. */
export function textsIn(record: FactRecord, ...labels: string[]): FactText[] {
  return valuesOf(record, labels).flatMap((value) => {
    if (value.kind === "text") return [value];
    if (value.kind === "list") return [];
    return valuesOf(value, ["name"]).filter((name) => name.kind === "text");
  });
}

/** The first text under the labels that is not empty, in one line. */
export function textIn(record: FactRecord, ...labels: string[]): string | undefined {
  return textsIn(record, ...labels)
    .map(({ text }) => oneLine(text))
    .find((text) => text !== "");
}

/** What a machine is told under the labels: `machine` before what is shown. */
export function machineIn(record: FactRecord, ...labels: string[]): string | undefined {
  const [first] = textsIn(record, ...labels);
  return first === undefined ? undefined : (first.machine ?? first.text);
}

/** Addresses under the labels; a record such as an `ImageObject` stands for its `url` or `contentUrl`. */
export function addressesIn(record: FactRecord, ...labels: string[]): string[] {
  const found = valuesOf(record, labels).flatMap((value) => {
    if (value.kind === "text") return [value.href ?? ""];
    return value.kind === "record" ? addressesIn(value, "contentUrl", "url").slice(0, 1) : [];
  });
  return [...new Set(found.filter((address) => address !== ""))];
}

/** Records under the labels. */
export function recordsIn(record: FactRecord, ...labels: string[]): FactRecord[] {
  return valuesOf(record, labels).flatMap(recordsOf);
}

export function isOfType(record: FactRecord, types: ReadonlySet<string>): boolean {
  return record.types.some((type) => types.has(type));
}
