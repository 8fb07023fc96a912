/** The pages of a corpus as the training programs need them: parsed, labelled, with word tallies per site. */
import { measurePage, type PageMeasures } from "../../content/main-content/features/page-measures.ts";
import { parseHtml } from "../../content/html/tree/tree.ts";
import { type BlockLabels, labelBlocks } from "./align.ts";
import { type CorpusPage, readCorpus, readPageHtml } from "./corpus.ts";
import { countPage, createTally, type SiteTally } from "./learn-odds.ts";

/** A block is content when the gold text covers half of its words. */
const CONTENT_COVERAGE = 0.5;
/** Pages with fewer words of content than this have a gold text that is not in the HTML: nothing to learn from. */
const MIN_CONTENT_WORDS = 20;
const MIN_CONTENT_SHARE = 0.25;
/** The weight of a block without words, in words. */
const BASE_WEIGHT = 0.3;
const PAGE_WEIGHT = 100;

export interface LabelledPage extends CorpusPage {
  labels: BlockLabels;
  /** Index of the page's first row in the matrices. */
  firstRow: number;
}

export interface Dataset {
  directory: string;
  pages: LabelledPage[];
  rowCount: number;
  tallies: Map<string, SiteTally>;
}

export function loadDataset(directory: string): Dataset {
  const dataset: Dataset = { directory, pages: [], rowCount: 0, tallies: new Map() };
  for (const page of readCorpus(directory)) {
    const facts = measureCorpusPage(directory, page);
    const texts = facts.outline.blocks.map(({ text }) => text);
    const labels = labelBlocks(texts, page.gold);
    dataset.pages.push({ ...page, labels, firstRow: dataset.rowCount });
    dataset.rowCount += texts.length;
    const site = page.site || page.id;
    let tally = dataset.tallies.get(site);
    if (!tally) dataset.tallies.set(site, (tally = createTally(page.fold)));
    countPage(tally, facts, (block) => isContent(labels, block));
  }
  return dataset;
}

/** Parses a page again: all pages at once would not fit the memory of a small machine. */
export function measureCorpusPage(directory: string, { id, url }: CorpusPage): PageMeasures {
  return measurePage(parseHtml(readPageHtml(directory, id)), url);
}

export function isContent({ coverage }: BlockLabels, block: number): boolean {
  return coverage[block]! >= CONTENT_COVERAGE;
}

/** True when the page contains enough of the gold text to learn from it. */
export function hasContent(labels: BlockLabels): boolean {
  return countContentWords(labels) >= MIN_CONTENT_WORDS;
}

function countContentWords(labels: BlockLabels): number {
  return labels.wordCounts.reduce((sum, words, block) => sum + (isContent(labels, block) ? words : 0), 0);
}

/**
 * Blocks weigh by their words, relative to the page's content, so that each page counts about the same. Copies of content
 * weigh nothing: neither answer would be right, and the choice of blocks drops them anyway.
 */
export function weighBlocks(labels: BlockLabels): Float32Array {
  const content = countContentWords(labels);
  const all = labels.wordCounts.reduce((sum, words) => sum + words, 0);
  const scale = content < MIN_CONTENT_WORDS ? 0 : PAGE_WEIGHT / Math.max(content, all * MIN_CONTENT_SHARE);
  return Float32Array.from(labels.wordCounts, (words, block) =>
    labels.copies[block] === 1 ? 0 : (words + BASE_WEIGHT) * scale,
  );
}
