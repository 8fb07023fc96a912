/** What the block's own text says. */
import type { FeatureGroup } from "./feature-group.ts";
import { summarizeOdds, textWords } from "./word-odds.ts";

/** Longer texts are told by their other features; their words would only cost time. */
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
  ],
  prepare({ outline, text }, { texts }) {
    return (block, matrix, offset) => {
      const { text: content, linkCount, insideLink } = outline.blocks[block]!;
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
      const odds = summarizeOdds(words > MAX_ODDS_WORDS ? [] : textWords(content), texts);
      matrix[at++] = odds.lowest;
      matrix[at++] = odds.sum;
      matrix[at++] = odds.known > 0 ? odds.sum / odds.known : 0;
      matrix[at++] = text.sentenceEnds[block]!;
      matrix[at++] = text.legal[block]!;
    };
  },
};
