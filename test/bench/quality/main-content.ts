/** Scores the shipped classifier by word F1, and times it. */
import { chooseBlocks } from "../../../src/content/main-content/choose-blocks.ts";
import { completeChoice } from "../../../src/content/main-content/complete-choice.ts";
import { measurePage } from "../../../src/content/main-content/features/page-measures.ts";
import { findMainContent } from "../../../src/content/main-content/find-main-content.ts";
import packedModel from "../../../src/content/main-content/model/main-content.json" with { type: "json" };
import { scoreBlocks } from "../../../src/content/main-content/score-blocks.ts";
import { parseHtml } from "../../../src/content/html/tree/tree.ts";
import { type CorpusPage, readCorpus, readPageHtml } from "../../../src/tools/train-main-content/corpus.ts";
import { keptText } from "../../../src/tools/train-main-content/evaluate.ts";
import { formatScores, type PageScore } from "../../../src/tools/train-main-content/score-table.ts";
import { wordF1, wordsOf } from "../../../src/tools/train-main-content/word-f1.ts";

/** Half of a gold text's distinct words on the page: then the text is there, and can be found. */
const REACHABLE_SHARE = 0.5;

/** The table of a data set as text. */
export function measureMainContent(directory: string, name: string): string {
  const pages = readCorpus(directory);
  const times = { parse: [] as number[], find: [] as number[] };
  const scores = pages.map((page) => measureOne(directory, page, times));
  const lines = [formatScores(`${name}, shipped model`, scores, "with references"), "", formatTimes(times)];
  const { provenance } = packedModel;
  if (pages.length === provenance.pages) {
    lines.push(
      "",
      `The model was trained on ${provenance.pages} pages; if these are the same, only its held-out scores tell its quality:`,
      JSON.stringify(provenance.heldOutWordF1),
    );
  }
  return lines.join("\n");
}

function measureOne(directory: string, page: CorpusPage, times: { parse: number[]; find: number[] }): PageScore {
  const html = readPageHtml(directory, page.id);
  const startMs = performance.now();
  const tree = parseHtml(html);
  const parsedMs = performance.now();
  findMainContent(tree, page.url);
  times.parse.push(parsedMs - startMs);
  times.find.push(performance.now() - parsedMs);
  const measures = measurePage(tree, page.url);
  const scores = scoreBlocks(measures);
  const { kept, confidence } = chooseBlocks(measures, scores);
  completeChoice(measures, scores, kept);
  const all = new Set(
    wordsOf(
      keptText(
        measures,
        kept.map(() => 1),
      ),
    ),
  );
  const gold = [...new Set(wordsOf(page.gold))];
  const reachable = gold.length > 0 && gold.filter((word) => all.has(word)).length >= gold.length * REACHABLE_SHARE;
  return { type: page.type, ...wordF1(keptText(measures, kept), page.gold), confidence, reachable };
}

function formatTimes(times: Record<string, number[]>): string {
  return Object.entries(times)
    .map(([step, ms]) => {
      const sorted = ms.toSorted((a, b) => a - b);
      const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(2);
      const mean = (ms.reduce((sum, value) => sum + value, 0) / (ms.length || 1)).toFixed(2);
      return `${step}: median ${at(0.5)} ms, mean ${mean} ms, p95 ${at(0.95)} ms`;
    })
    .join("\n");
}
