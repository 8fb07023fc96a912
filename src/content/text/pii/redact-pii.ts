import { WorkBudget } from "../../../core/work-budget.ts";
import { findEmails, findPhones } from "./find-contacts.ts";
import { findFinancial, type Span } from "./find-financial.ts";
import { findSecrets } from "./find-secrets.ts";

/** Entities that rules can recognise; names of people and places are beyond them. */
export const RULED_ENTITIES = ["SECRET", "EMAIL", "FINANCIAL", "PHONE"] as const;
export type RuledEntity = (typeof RULED_ENTITIES)[number];

export interface RedactOptions {
  entities: readonly RuledEntity[];
  /** A tag such as `[EMAIL]`, as many asterisks, or nothing. */
  replaceStyle: "tag" | "mask" | "remove";
  /** Country of national phone numbers (ISO 3166-1 alpha-2). */
  country: string | undefined;
}

/** Characters that are searched for one kind of data in the time of a step. */
const CHARS_PER_STEP = 16;
/** Checking whether digits are a valid number, or an account, takes longer than finding them. */
const STEPS_PER_FOUND = 16;

/**
 * Returns a text without the personal data that rules can recognise. Redacted text stays unchanged.
 * @throws AppError `SCRAPE_WORK_LIMIT` when the budget is spent: a text that was not read to its end is not returned.
 */
export function redactPii(
  text: string,
  { entities, replaceStyle, country }: RedactOptions,
  budget = new WorkBudget(),
): string {
  return RULED_ENTITIES.filter((entity) => entities.includes(entity)).reduce((rest, entity) => {
    budget.spend(1 + Math.ceil(rest.length / CHARS_PER_STEP));
    const spans = FINDERS[entity](rest, country, budget).toSorted((left, right) => left.start - right.start);
    budget.spend(STEPS_PER_FOUND * spans.length);
    return replaced(rest, spans, (found) => REPLACEMENTS[replaceStyle](entity, found));
  }, text);
}

const FINDERS: Record<RuledEntity, (text: string, country: string | undefined, budget: WorkBudget) => Span[]> = {
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
