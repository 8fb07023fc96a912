/** The pages of a corpus as the training programs need them: labelled, weighed, with word tallies per site. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { headingLevel, type PageOutline, isNearElement } from "../../content/main-content/blocks.ts";
import { measurePage, type PageMeasures } from "../../content/main-content/features/page-measures.ts";
import { parseHtml, type ElementNode } from "../../content/html/tree/tree.ts";
import { type BlockLabels, labelBlocks } from "./align.ts";
import type { TrainingPage } from "./corpus.ts";
import { countPage, createTally, type SiteTally } from "./learn-odds.ts";
import { sourceNamed, TYPE_WEIGHTS } from "./sources.ts";

/** A block is content when the gold text covers half of its words. */
const CONTENT_COVERAGE = 0.5;
/** Pages with fewer words of content than this have a gold text that is not in the HTML: nothing to learn from. */
const MIN_CONTENT_WORDS = 20;
const MIN_CONTENT_SHARE = 0.25;
/** The weight of a block without words, in words. */
const BASE_WEIGHT = 0.3;
const PAGE_WEIGHT = 100;
/** Sources that count less than this teach no words: their pages are of no site, and some are made up. */
const MIN_TALLY_WEIGHT = 0.5;
/** One page of so many is seen under an address that says nothing, so that the model does not need one that does. */
const HIDDEN_ADDRESSES = 4;
const OPAQUE_URL = "https://page.example/page";

export interface LabelledPage extends TrainingPage {
  labels: BlockLabels;
  /** Weight of each block in training. */
  weights: Float32Array;
  /** Index of the page's first row in the matrices. */
  firstRow: number;
}

export interface Dataset {
  pages: LabelledPage[];
  rowCount: number;
  tallies: Map<string, SiteTally>;
}

/** Labels all pages. The labels, which take long, are kept in a file for the next run. */
export function loadDataset(pages: readonly TrainingPage[], labelFile: string): Dataset {
  const store = new LabelStore(labelFile);
  const dataset: Dataset = { pages: [], rowCount: 0, tallies: new Map() };
  const siteSizes = new Map<string, number>();
  for (const { site } of pages) siteSizes.set(site, (siteSizes.get(site) ?? 0) + 1);
  for (const page of pages) {
    const facts = measureTrainingPage(page);
    const labels = store.labelsOf(facts.outline, page.gold);
    const sitePages = page.site === "" ? 1 : (siteSizes.get(page.site) ?? 1);
    const source = sourceNamed(page.source);
    const isKnown = hasContent(labels) && labels.found >= source.leastFound;
    const typeWeight = TYPE_WEIGHTS[page.type] ?? 1;
    const weights = weighBlocks(labels, isKnown ? (source.weight * typeWeight) / Math.sqrt(sitePages) : 0);
    if (!source.judgesAll) leaveUnjudged(facts, weights);
    dataset.pages.push({ ...page, labels, weights, firstRow: dataset.rowCount });
    dataset.rowCount += weights.length;
    if (!isKnown || source.weight < MIN_TALLY_WEIGHT) continue;
    const site = page.site || page.id;
    let tally = dataset.tallies.get(site);
    if (!tally) dataset.tallies.set(site, (tally = createTally(page.fold)));
    countPage(tally, facts, (block) => isContent(labels, block));
  }
  store.save();
  return dataset;
}

/** Parses a page as it is seen in training. All pages at once would not fit the memory of a small machine. */
export function measureTrainingPage({ id, html, url }: TrainingPage): PageMeasures {
  const isHidden = (createHash("sha1").update(`address ${id}`).digest()[0] ?? 0) % HIDDEN_ADDRESSES === 0;
  return measurePage(parseHtml(html), isHidden ? OPAQUE_URL : url);
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
export function weighBlocks(labels: BlockLabels, pageWeight = 1): Float32Array {
  const content = countContentWords(labels);
  const all = labels.wordCounts.reduce((sum, words) => sum + words, 0);
  const scale = hasContent(labels) ? (PAGE_WEIGHT * pageWeight) / Math.max(content, all * MIN_CONTENT_SHARE) : 0;
  return Float32Array.from(labels.wordCounts, (words, block) =>
    labels.copies[block] === 1 ? 0 : (words + BASE_WEIGHT) * scale,
  );
}

const BYLINE =
  /(?:^|[\s_-])(?:author|authors|byline|by-line|dateline|pub-?date|published|timestamp|date|time)(?:$|[\s_-])/i;
const CAPTION = /(?:^|[\s_-])(?:wp-caption-text|caption|figcaption|image-credit|credit)(?:$|[\s_-])/i;
/** Characters. Longer texts with such a class hold more than a name and a date. */
const MAX_BYLINE_LENGTH = 120;

/** Takes the weight from titles, authors, dates and captions. */
function leaveUnjudged({ outline }: PageMeasures, weights: Float32Array): void {
  outline.blocks.forEach(({ text, element }, block) => {
    const isTitle = headingLevel(outline.elements[element]!.tag) === 1;
    const isByline = text.length <= MAX_BYLINE_LENGTH && isNearElement(outline, block, isBylineElement);
    if (isTitle || isByline || isInCaption(outline, element)) weights[block] = 0;
  });
}

function isBylineElement({ tag, attributes }: ElementNode): boolean {
  return tag === "time" || attributes["rel"] === "author" || BYLINE.test(attributes["class"] ?? "");
}

const CAPTION_REACH = 4;

function isInCaption({ elements, parents }: PageOutline, start: number): boolean {
  for (let index = start, steps = 0; index > 0 && steps < CAPTION_REACH; index = parents[index]!, steps++) {
    const { tag, attributes } = elements[index]!;
    if (tag === "figcaption" || CAPTION.test(attributes["class"] ?? "")) return true;
  }
  return false;
}

type StoredLabels = [coverage: string, wordCounts: string, copies: string, found: number];

/** Labels by the texts that they are of. */
class LabelStore {
  readonly #path: string;
  readonly #stored: Record<string, StoredLabels>;
  #isChanged = false;

  constructor(path: string) {
    this.#path = path;
    this.#stored = existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Record<string, StoredLabels>) : {};
  }

  labelsOf({ blocks }: PageOutline, gold: string): BlockLabels {
    const texts = blocks.map(({ text }) => text);
    const key = createHash("sha1")
      .update(`${texts.join("\n")}\0${gold}`)
      .digest("base64");
    const known = this.#stored[key];
    if (known !== undefined) return unpackLabels(known);
    const labels = labelBlocks(texts, gold);
    this.#stored[key] = packLabels(labels);
    this.#isChanged = true;
    return labels;
  }

  save(): void {
    if (this.#isChanged) writeFileSync(this.#path, JSON.stringify(this.#stored));
  }
}

function packLabels({ coverage, wordCounts, copies, found }: BlockLabels): StoredLabels {
  const text = (bytes: ArrayBufferLike) => Buffer.from(bytes).toString("base64");
  return [text(coverage.buffer), text(wordCounts.buffer), text(copies.buffer), found];
}

function unpackLabels([coverage, wordCounts, copies, found]: StoredLabels): BlockLabels {
  const bytes = (text: string) => new Uint8Array(Buffer.from(text, "base64"));
  return {
    coverage: new Float32Array(bytes(coverage).buffer),
    wordCounts: new Int32Array(bytes(wordCounts).buffer),
    copies: bytes(copies),
    found,
  };
}
