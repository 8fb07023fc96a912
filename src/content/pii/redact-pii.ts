import { findEmails, findPhones } from "./find-contacts.ts";
import { findFinancial, type Span } from "./find-financial.ts";
import { findSecrets } from "./find-secrets.ts";

/** What rules can recognise; names of people and places are beyond them. */
export const RULED_ENTITIES = ["SECRET", "EMAIL", "FINANCIAL", "PHONE"] as const;
export type RuledEntity = (typeof RULED_ENTITIES)[number];

export interface RedactOptions {
  entities: readonly RuledEntity[];
  /** A mark such as `[EMAIL]`, as many asterisks, or nothing. */
  replaceStyle: "tag" | "mask" | "remove";
  /** Whose national phone numbers are meant (ISO 3166-1 alpha-2). */
  country: string | undefined;
}

/** A text without the personal data that rules can tell. What was redacted once stays as it is. */
export function redactPii(text: string, { entities, replaceStyle, country }: RedactOptions): string {
  return RULED_ENTITIES.filter((entity) => entities.includes(entity)).reduce((rest, entity) => {
    const spans = FINDERS[entity](rest, country).toSorted((left, right) => left.start - right.start);
    return replaced(rest, spans, (found) => REPLACEMENTS[replaceStyle](entity, found));
  }, text);
}

const FINDERS: Record<RuledEntity, (text: string, country: string | undefined) => Span[]> = {
  SECRET: findSecrets,
  EMAIL: findEmails,
  FINANCIAL: findFinancial,
  PHONE: findPhones,
};

const REPLACEMENTS: Record<RedactOptions["replaceStyle"], (entity: RuledEntity, found: string) => string> = {
  tag: (entity) => `[${entity}]`,
  mask: (_entity, found) => "*".repeat(found.length),
  remove: () => "",
};

function replaced(text: string, spans: Span[], replace: (found: string) => string): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of spans) {
    if (start < from) continue;
    parts.push(text.slice(from, start), replace(text.slice(start, end)));
    from = end;
  }
  return spans.length === 0 ? text : parts.join("") + text.slice(from);
}
