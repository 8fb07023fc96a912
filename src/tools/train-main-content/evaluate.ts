/** Scores each page with probabilities from trees that never saw its site: choice of blocks, text, word F1. */
import { join } from "node:path";
import { chooseBlocks } from "../../content/main-content/choose-blocks.ts";
import type { PageMeasures } from "../../content/main-content/features/page-measures.ts";
import { type Dataset, hasContent, measureCorpusPage } from "./dataset.ts";
import type { PageScore } from "./score-table.ts";
import { readFloats } from "./training-rows.ts";
import { wordF1 } from "./word-f1.ts";

export function scoreFolds({ directory, pages }: Dataset, work: string): PageScore[] {
  const probabilities = readFloats(join(work, "second.f32"));
  return pages.map((page) => {
    const measures = measureCorpusPage(directory, page);
    const own = probabilities.slice(page.firstRow, page.firstRow + page.labels.coverage.length);
    const { kept, confidence } = chooseBlocks(measures, own);
    const score = wordF1(keptText(measures, kept), page.gold);
    return { type: page.type, ...score, confidence, reachable: hasContent(page.labels) };
  });
}

export function keptText({ outline }: PageMeasures, kept: Uint8Array): string {
  return outline.blocks
    .filter((_, block) => kept[block] === 1)
    .map(({ text }) => text)
    .join("\n");
}
