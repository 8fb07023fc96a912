/** Features of the block's own text. */
import type { FeatureGroup } from "./feature-group.ts";
import { MAX_KEPT_WORDS } from "./words/text-scan.ts";
import { summarizeOdds } from "./words/word-odds.ts";

/** Longer texts are recognised by their other features; their words would only cost time. */
export const MAX_ODDS_WORDS = 40;

export const textFeatures: FeatureGroup = {
  names: [
    "length",
    "words",
    "linkDensity",
    "links",
    "upperShare",
    "punctuation",
    "stopShare",
    "good",
    "copies",
    "insideLink",
    "textOddsLow",
    "textOddsSum",
    "textOddsMean",
    "sentenceEnd",
    "legal",
    "digitShare",
    "symbolShare",
    "wordLength",
    "price",
    "titleShare",
    "describedShare",
  ],
  prepare({ outline, text }, { texts }) {
    return (block, matrix, offset) => {
      const { linkCount, insideLink } = outline.blocks[block]!;
      const length = text.lengths[block]!;
      const words = text.words[block]!;
      let at = offset;
      matrix[at++] = Math.log1p(length);
      matrix[at++] = Math.log1p(words);
      matrix[at++] = text.linkDensities[block]!;
      matrix[at++] = Math.log1p(linkCount);
      matrix[at++] = text.upperShares[block]!;
      matrix[at++] = text.punctuation[block]!;
      matrix[at++] = text.stopShares[block]!;
      matrix[at++] = Math.log1p(text.good[block]!);
      matrix[at++] = text.copies[block]! - 1;
      matrix[at++] = insideLink ? 1 : 0;
      const first = block * MAX_KEPT_WORDS;
      const odds = summarizeOdds(
        text.firstWords,
        first,
        words > MAX_ODDS_WORDS ? first : first + text.wordCounts[block]!,
        texts,
      );
      matrix[at++] = odds.lowest;
      matrix[at++] = odds.sum;
      matrix[at++] = odds.known > 0 ? odds.sum / odds.known : 0;
      matrix[at++] = text.sentenceEnds[block]!;
      matrix[at++] = text.legal[block]!;
      matrix[at++] = text.digitShares[block]!;
      matrix[at++] = text.symbolShares[block]!;
      matrix[at++] = length / text.sizes[block]!;
      matrix[at++] = text.prices[block]!;
      matrix[at++] = text.titleShares[block]!;
      matrix[at++] = text.describedShares[block]!;
    };
  },
};
