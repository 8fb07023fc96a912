import { foldText } from "../../../src/core/search/words.ts";

/** How many values were given, how many were to be given, and how many are right. */
export interface FieldScore {
  given: number;
  expected: number;
  right: number;
  /** What is wrong or missing, in words. */
  notes: string[];
}

const NOTHING: FieldScore = { given: 0, expected: 0, right: 0, notes: [] };

/**
 * Compares an answer with known facts, value by value. Items of lists are paired so that most values agree; texts are the
 * same when they differ in case and white space alone.
 */
export function scoreFields(given: unknown, expected: unknown, place = ""): FieldScore {
  if (Array.isArray(given) || Array.isArray(expected)) return scoreLists(toList(given), toList(expected), place);
  if (isObject(given) || isObject(expected)) {
    const [left, right] = [isObject(given) ? given : {}, isObject(expected) ? expected : {}];
    const names = new Set([...Object.keys(left), ...Object.keys(right)]);
    return sum([...names].map((name) => scoreFields(left[name], right[name], `${place}.${name}`)));
  }
  if (given === undefined && expected === undefined) return NOTHING;
  const isRight = given !== undefined && expected !== undefined && normal(given) === normal(expected);
  const notes = isRight ? [] : [`${place.slice(1)}: ${JSON.stringify(given)} instead of ${JSON.stringify(expected)}`];
  return {
    given: given === undefined ? 0 : 1,
    expected: expected === undefined ? 0 : 1,
    right: isRight ? 1 : 0,
    notes,
  };
}

function scoreLists(given: readonly unknown[], expected: readonly unknown[], place: string): FieldScore {
  const left = new Set(given.keys());
  const paired: FieldScore[] = [];
  for (const fact of expected) {
    let best: { index: number; score: FieldScore } | undefined;
    for (const index of left) {
      const score = scoreFields(given[index], fact, `${place}[]`);
      if (score.right > (best?.score.right ?? 0)) best = { index, score };
    }
    if (best !== undefined) left.delete(best.index);
    paired.push(best?.score ?? scoreFields(undefined, fact, `${place}[]`));
  }
  return sum([...paired, ...[...left].map((index) => scoreFields(given[index], undefined, `${place}[]`))]);
}

function sum(scores: readonly FieldScore[]): FieldScore {
  return scores.reduce(
    (total, score) => ({
      given: total.given + score.given,
      expected: total.expected + score.expected,
      right: total.right + score.right,
      notes: [...total.notes, ...score.notes],
    }),
    NOTHING,
  );
}

function normal(value: unknown): string {
  return typeof value === "string" ? foldText(value).replace(/\s+/g, " ").trim() : JSON.stringify(value);
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
