/**
 * Learns how telling words are: each word's weight in content and outside, as shares per site (so that a site with many
 * pages counts once), summed over sites, smoothed, as a log-odds relative to the average word.
 */
import { ODDS_ANCESTORS } from "../../content/main-content/features/class-features.ts";
import type { PageMeasures } from "../../content/main-content/features/page-measures.ts";
import { headingsAbove } from "../../content/main-content/features/position-features.ts";
import { MAX_ODDS_WORDS } from "../../content/main-content/features/text-features.ts";
import { MAX_KEPT_WORDS } from "../../content/main-content/features/words/text-scan.ts";
import { classWords, type LearnedOdds, textWords } from "../../content/main-content/features/words/word-odds.ts";

type Tally = Map<string, [content: number, other: number]>;

export interface SiteTally {
  fold: number;
  classes: Tally;
  texts: Tally;
  headings: Tally;
}

const MIN_SITES = { classes: 6, texts: 16, headings: 8 };
const MIN_ODDS = { classes: 0.25, texts: 0.5, headings: 0.4 };
const SMOOTHING = 2;

export function createTally(fold: number): SiteTally {
  return { fold, classes: new Map(), texts: new Map(), headings: new Map() };
}

/** Adds one page to its site's tally. */
export function countPage(tally: SiteTally, page: PageMeasures, isContent: (block: number) => boolean): void {
  const { outline, text } = page;
  const elementWords = outline.elements.map((element) => classWords(element));
  const headings = headingsAbove(page);
  outline.blocks.forEach((block, index) => {
    const side = isContent(index) ? 0 : 1;
    const weight = Math.log1p(text.words[index]!);
    const { parents } = outline;
    for (let at = block.element, steps = 0; at >= 0 && steps < ODDS_ANCESTORS; at = parents[at]!, steps++) {
      for (const word of elementWords[at]!) addTo(tally.classes, word, side, weight);
    }
    if (text.words[index]! <= MAX_ODDS_WORDS)
      for (const word of textWords(block.text, MAX_KEPT_WORDS)) addTo(tally.texts, word, side, weight);
    const heading = headings[index]!;
    if (heading >= 0)
      for (const word of textWords(outline.blocks[heading]!.text, MAX_KEPT_WORDS))
        addTo(tally.headings, word, side, weight);
  });
}

function addTo(tally: Tally, word: string, side: 0 | 1, weight: number): void {
  let counts = tally.get(word);
  if (!counts) tally.set(word, (counts = [0, 0]));
  counts[side] += weight;
}

/** The odds from all sites but those of one fold; `-1` leaves none out. */
export function learnOdds(sites: Iterable<SiteTally>, heldOutFold: number): LearnedOdds {
  const used = [...sites].filter(({ fold }) => fold !== heldOutFold);
  return {
    classes: learnTable(used, "classes"),
    texts: learnTable(used, "texts"),
    headings: learnTable(used, "headings"),
  };
}

function learnTable(sites: SiteTally[], table: keyof typeof MIN_SITES): Map<string, number> {
  const sums = new Map<string, { content: number; other: number; sites: number }>();
  const all = { content: 0, other: 0 };
  for (const site of sites) {
    for (const [word, [content, other]] of site[table]) {
      let sum = sums.get(word);
      if (!sum) sums.set(word, (sum = { content: 0, other: 0, sites: 0 }));
      const share = content / (content + other || 1);
      sum.content += share;
      sum.other += 1 - share;
      sum.sites++;
      all.content += share;
      all.other += 1 - share;
    }
  }
  const base = all.content / (all.content + all.other);
  const odds = new Map<string, number>();
  for (const [word, { content, other, sites: count }] of sums) {
    if (count < MIN_SITES[table]) continue;
    const ratio = (content + SMOOTHING * base) / (other + SMOOTHING * (1 - base));
    const value = Math.round(10 * Math.log(ratio / (base / (1 - base)))) / 10;
    if (Math.abs(value) >= MIN_ODDS[table]) odds.set(word, value);
  }
  return odds;
}
