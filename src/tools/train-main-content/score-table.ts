/** Scores of pages as a table by page type. */
import { PAGE_TYPES, type Reference, REFERENCES } from "./references.ts";

export interface PageScore {
  type: string;
  f1: number;
  precision: number;
  recall: number;
  confidence: number;
  /** True when the HTML contains the gold text. */
  reachable: boolean;
}

const NAME_WIDTH = 34;

/** Lines of a table: ours with precision, recall and types; then, if wanted, the references. */
export function formatScores(
  title: string,
  scores: readonly PageScore[],
  references: "with references" | "alone",
): string {
  const reachable = scores.filter((score) => score.reachable);
  const lines = [
    row(title, ["F1", ...PAGE_TYPES.map((type) => type.slice(0, 7))]),
    row(`all ${scores.length} pages`, [mean(scores, "f1"), ...byType(scores, "f1")]),
    row(`${reachable.length} pages with their gold text`, [mean(reachable, "f1"), ...byType(reachable, "f1")]),
    row("precision", [mean(scores, "precision"), ...byType(scores, "precision")]),
    row("recall", [mean(scores, "recall"), ...byType(scores, "recall")]),
    row("confidence", [mean(scores, "confidence"), ...byType(scores, "confidence")]),
  ];
  if (references === "with references")
    lines.push("", row("others: development / test", ["F1", "test set, by type"]), ...REFERENCES.map(formatReference));
  return lines.join("\n");
}

export function meanF1(scores: readonly PageScore[]): number {
  return scores.reduce((sum, { f1 }) => sum + f1, 0) / (scores.length || 1);
}

export function f1ByType(scores: readonly PageScore[]): Record<string, number> {
  const entries = PAGE_TYPES.map(
    (type) => [type, round(meanF1(scores.filter((score) => score.type === type)))] as const,
  );
  return Object.fromEntries(entries);
}

export const round = (value: number) => Math.round(value * 10_000) / 10_000;

type Measure = "f1" | "precision" | "recall" | "confidence";

function byType(scores: readonly PageScore[], measure: Measure): string[] {
  return PAGE_TYPES.map((type) =>
    mean(
      scores.filter((score) => score.type === type),
      measure,
    ),
  );
}

function mean(scores: readonly PageScore[], measure: Measure): string {
  if (scores.length === 0) return "-";
  return (scores.reduce((sum, score) => sum + score[measure], 0) / scores.length).toFixed(4);
}

function formatReference({ name, development, test, testByType }: Reference): string {
  const show = (value: number | undefined) => value?.toFixed(3) ?? "-";
  return row(`${name}: ${show(development)} / ${show(test)}`, ["", ...testByType.map(show)]);
}

function row(name: string, cells: string[]): string {
  return (
    name.padEnd(NAME_WIDTH) +
    cells
      .map((cell) => cell.padEnd(8))
      .join(" ")
      .trimEnd()
  );
}
