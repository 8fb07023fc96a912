import { foldText } from "../../../src/core/search/words.ts";

/** A fact of a page: a value, the beginning of a long one, or alternatives; null is no value, `?` is not scored. */
export type Fact = string | number | null | { starts: string[] } | Fact[];

export interface FactScore {
  given: number;
  expected: number;
  right: number;
  /** The wrong and the missing values. */
  notes: string[];
}

/** Compares values with facts written by hand. A field without a fact is absent from the page: any value is wrong. */
export function scoreFacts(
  value: Record<string, unknown>,
  facts: Record<string, Fact>,
  fields: readonly string[],
): FactScore {
  const score: FactScore = { given: 0, expected: 0, right: 0, notes: [] };
  for (const field of fields) {
    const fact = facts[field] ?? null;
    if (fact === "?") continue;
    const given = value[field];
    const isGiven = given !== undefined && given !== null;
    const isRight = fits(isGiven ? given : null, fact);
    if (isGiven) score.given++;
    // A value that a reader may leave out counts when it is given.
    if (isGiven ? fact !== null : !isRight) score.expected++;
    if (isGiven && isRight) score.right++;
    if (!isRight) score.notes.push(`${field}: ${JSON.stringify(given)} instead of ${JSON.stringify(fact)}`);
  }
  return score;
}

function fits(given: unknown, fact: Fact): boolean {
  if (Array.isArray(fact)) return fact.some((one) => fits(given, one));
  if (fact === null || given === null) return given === fact;
  if (typeof fact === "object") return fact.starts.some((start) => normal(given).startsWith(normal(start)));
  return normal(given) === normal(fact);
}

function normal(value: unknown): string {
  return foldText(String(value)).replace(/[’‘]/g, "'").replace(/[“”]/g, '"').replace(/\s+/g, " ").trim();
}

export function sumFacts(
  scores: readonly FactScore[],
): { precision: number; recall: number } & Omit<FactScore, "notes"> {
  const add = (name: "given" | "expected" | "right"): number => scores.reduce((sum, score) => sum + score[name], 0);
  const [given, expected, right] = [add("given"), add("expected"), add("right")];
  return { given, expected, right, precision: right / Math.max(1, given), recall: right / Math.max(1, expected) };
}
