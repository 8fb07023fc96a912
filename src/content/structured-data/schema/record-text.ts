import type { FactRecord, FactText, FactValue } from "../facts.ts";
import { type Label, wantsMost } from "../sources/labels.ts";
import { oneLine, textFact } from "../facts.ts";

const NAMES = ["name", "headline", "title", "legalName", "text", "@value"];
const AMOUNTS = ["value", "price", "ratingValue", "amount", "lowPrice", "minValue", "maxValue"];
const HIGHEST = ["maxValue", "highPrice"];
const ADDRESS = ["streetAddress", "postalCode", "addressLocality", "addressRegion", "addressCountry"];

/**
 * Returns the name of a record where a property wants a text, or its amount where it wants a number; undefined when it
 * has neither. A composed text, such as an address, may not be on the page verbatim.
 */
export function textOfRecord(record: FactRecord, wanted: Label, isNumeric: boolean): FactText | undefined {
  if (isNumeric) {
    return first(record, wantsMost(wanted) ? [...HIGHEST, ...AMOUNTS] : AMOUNTS, wanted, isNumeric);
  }
  if (isUrlField(wanted)) return first(record, ["url", "contentUrl", "sameAs"], wanted, isNumeric);
  const isPlace = wanted.concepts.some(
    (concept) => concept === "address" || concept === "location" || concept === "headquarters",
  );
  if (isPlace) {
    const name = wanted.concepts.includes("address") ? undefined : first(record, ["name"], wanted, isNumeric);
    return name ?? addressOf(record);
  }
  return first(record, NAMES, wanted, isNumeric) ?? amountOf(record);
}

function isUrlField({ phrase, concepts }: Label): boolean {
  return (
    concepts.some((concept) => concept === "url" || concept === "website" || concept === "image") ||
    /(?:url|link)$/.test(phrase)
  );
}

function first(record: FactRecord, labels: readonly string[], wanted: Label, isNumeric: boolean): FactText | undefined {
  for (const label of labels) {
    const value = valueOf(record, label);
    if (value?.kind === "text") return value;
    if (value?.kind === "record") return textOfRecord(value, wanted, isNumeric);
  }
  return undefined;
}

function valueOf(record: FactRecord, label: string): FactValue | undefined {
  const value = record.facts.find((fact) => fact.label === label)?.value;
  return value?.kind === "list" ? value.items[0] : value;
}

function addressOf(record: FactRecord): FactText | undefined {
  const inner = valueOf(record, "address");
  if (inner?.kind === "text") return inner;
  const holder = inner?.kind === "record" ? inner : record;
  const parts = ADDRESS.flatMap((label) => {
    const value = valueOf(holder, label);
    return value?.kind === "text" && value.text !== "" ? [value] : [];
  });
  if (parts.length <= 1) return parts[0];
  return textFact(parts.map(({ text }) => text).join(", "));
}

function amountOf(record: FactRecord): FactText | undefined {
  const amount = valueOf(record, "value") ?? valueOf(record, "price");
  const unit = valueOf(record, "unitText") ?? valueOf(record, "unitCode") ?? valueOf(record, "currency");
  if (amount?.kind !== "text") return undefined;
  return textFact(oneLine(`${amount.text} ${unit?.kind === "text" ? unit.text : ""}`));
}
