/**
 * Scores pages with models that never saw their sites: by the blocks that are chosen, and by the markdown that a reader
 * gets.
 */
import { chooseBlocks } from "../../content/main-content/choose-blocks.ts";
import { completeChoice } from "../../content/main-content/complete-choice.ts";
import { measurePage, type PageMeasures } from "../../content/main-content/features/page-measures.ts";
import type { MainContentModel } from "../../content/main-content/model/load-model.ts";
import { scoreBlocks } from "../../content/main-content/score-blocks.ts";
import { parseHtml } from "../../content/html/tree/tree.ts";
import { cleanHtml, openHtml, toMarkdown } from "../../content/read-html.ts";
import { decodeBody } from "../../content/text/charset.ts";
import type { SegmentPage, TrainingPage } from "./corpus.ts";
import { countSegments, type Overlap, overlapOf, type SegmentCounts, textOfMarkdown } from "./metrics.ts";
import { tokensOf, wordF1, type WordScore } from "./word-f1.ts";

/** Half of a gold text's distinct words on the page: then the text is there, and can be found. */
const REACHABLE_SHARE = 0.5;

export interface PageScore extends WordScore {
  id: string;
  source: string;
  type: string;
  language: string;
  overlap: Overlap;
  confidence: number;
  /** True when the HTML contains the gold text. */
  reachable: boolean;
  isEmpty: boolean;
}

export interface SegmentScore extends SegmentCounts {
  id: string;
  isEmpty: boolean;
}

/** Turns a page into text. */
export type Extractor = (html: string, url: string, fold: number) => { text: string; confidence: number };

/** The blocks that the classifier chooses; of models by fold, the one that has not seen the page's site. */
export function blockExtractor(models: readonly MainContentModel[]): Extractor {
  return (html, url, fold) => {
    const page = measurePage(parseHtml(html), url);
    const { kept, confidence } = chooseBlocks(page, scoreBlocks(page, models[fold % models.length]));
    return { text: keptText(page, kept), confidence };
  };
}

/** The same with what a reader needs beside: titles, headings, cells. */
export function completedExtractor(models: readonly MainContentModel[]): Extractor {
  return (html, url, fold) => {
    const page = measurePage(parseHtml(html), url);
    const scores = scoreBlocks(page, models[fold % models.length]);
    const { kept, confidence } = chooseBlocks(page, scores);
    completeChoice(page, scores, kept);
    return { text: keptText(page, kept), confidence };
  };
}

/** The words of the markdown that the service answers with. */
export function markdownExtractor(models: readonly MainContentModel[]): Extractor {
  return (html, url, fold) => {
    const view = openHtml(html, url || "https://page.example/page");
    const model = models[fold % models.length]!;
    const cleaned = cleanHtml(view, { onlyMainContent: true, includeTags: [], excludeTags: [], model });
    return { text: textOfMarkdown(toMarkdown(view, cleaned, { removeBase64Images: true })), confidence: 1 };
  };
}

export function scorePages(pages: readonly TrainingPage[], extract: Extractor): PageScore[] {
  return pages.map((page) => {
    const { text, confidence } = extract(page.html, page.url, page.fold);
    const split = page.source === "wcxb" ? undefined : tokensOf;
    return {
      id: page.id,
      source: page.source,
      type: page.type,
      language: page.language,
      ...wordF1(text, page.gold, split),
      overlap: overlapOf(text, page.gold),
      confidence,
      reachable: isReachable(page),
      isEmpty: text.trim() === "",
    };
  });
}

export function scoreSegments(pages: readonly SegmentPage[], extract: Extractor): SegmentScore[] {
  return pages.map((page) => {
    const { text } = extract(decodeBody(page.bytes, "text/html").text, page.url, page.fold);
    return { id: page.id, ...countSegments(text, page.with, page.without), isEmpty: text.trim() === "" };
  });
}

function isReachable({ html, gold }: TrainingPage): boolean {
  const words = [...new Set(tokensOf(gold))];
  const known = new Set(tokensOf(html));
  return words.length > 0 && words.filter((word) => known.has(word)).length >= words.length * REACHABLE_SHARE;
}

export function keptText({ outline }: PageMeasures, kept: Uint8Array): string {
  return outline.blocks
    .filter((_, block) => kept[block] === 1)
    .map(({ text }) => text)
    .join("\n");
}
