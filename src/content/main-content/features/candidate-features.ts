/**
 * Features from the arithmetic of Arc90's Readability: paragraphs give points to their parents and grandparents, names
 * and links correct them, and each block's surroundings are compared with the best element of the page.
 */
import type { FeatureGroup } from "./feature-group.ts";
import { add } from "./element-sums.ts";
import type { PageMeasures } from "./page-measures.ts";

const PARAGRAPH_TAGS = new Set(["p", "pre", "td", "li", "blockquote", "span"]);
const GOOD_TAGS = new Set(["article", "main"]);
const BAD_TAGS = new Set(["form", "nav", "aside", "footer"]);
const GOOD_NAME =
  /content|article|post|entry|main|story|text|prose|markdown|body|page|artikel|inhalt|beitrag|conten[iu]do|art[ií]c[uo]lo|artigo|noticia|haber/i;
const BAD_NAME =
  /header|masthead|banner|foot|copyright|legal|side|aside|widget|rail|relat|recommend|popular|promo|social|share|comment|disqus|sponsor|advert|cookie|consent|modal|popup|newsletter|subscri|login|kommentar|comentar|komentar|werbung|anzeige|publici[dt]|reklam|empfehl|recomend|verwandt|teaser/i;
const SHARE_OF_ANCESTOR = [1, 1 / 2, 1 / 6];

export const candidateFeatures: FeatureGroup = {
  names: ["candidateScore", "inCandidate", "candidateSiblingScore", "candidateShare", "candidateGoodShare"],
  prepare(page) {
    const { outline, sums, totals } = page;
    const scores = scoreElements(page);
    let best = -1;
    for (let index = 0; index < scores.length; index++) if (scores[index]! > (scores[best] ?? 0)) best = index;
    const bestScore = best < 0 ? 1 : scores[best]!;
    const bestParent = best < 0 ? -1 : outline.parents[best]!;
    const siblings = siblingOfBest(page, bestParent);
    return (block, matrix, offset) => {
      const { element } = outline.blocks[block]!;
      const sibling = siblings[element]!;
      let at = offset;
      matrix[at++] = highestNearby(page, scores, element) / bestScore;
      matrix[at++] = best >= 0 && element >= best && element <= outline.lastDescendants[best]! ? 1 : 0;
      matrix[at++] = sibling < 0 ? -1 : scores[sibling]! / bestScore;
      matrix[at++] = best < 0 ? 0 : sums.lengths[best]! / totals.length;
      matrix[at++] = best < 0 || totals.good === 0 ? 0 : sums.good[best]! / totals.good;
    };
  },
};

function scoreElements({ outline, text, sums }: PageMeasures): Float64Array {
  const points = new Float64Array(outline.elements.length);
  outline.blocks.forEach((block, index) => {
    const length = text.lengths[index]!;
    if (length < 25 || text.linkDensities[index]! > 0.6) return;
    const marks = text.punctuation[index]! * text.words[index]!;
    const score = 1 + Math.min(marks, 12) * 0.5 + Math.min(length / 100, 3);
    let receiver = block.element;
    if (PARAGRAPH_TAGS.has(outline.elements[receiver]!.tag)) receiver = Math.max(0, outline.parents[receiver]!);
    for (const share of SHARE_OF_ANCESTOR) {
      if (receiver < 0) break;
      add(points, receiver, score * share);
      receiver = outline.parents[receiver]!;
    }
  });
  for (let index = 0; index < points.length; index++) {
    const score = points[index]!;
    if (score === 0) continue;
    const linkDensity = sums.linkLengths[index]! / Math.max(1, sums.lengths[index]!);
    points[index] = (score + nameBonus(outline.elements[index]!)) * (1 - linkDensity);
  }
  return points;
}

function nameBonus({ tag, attributes }: PageMeasures["outline"]["elements"][number]): number {
  const name = `${attributes.class ?? ""} ${attributes.id ?? ""}`;
  let bonus = GOOD_TAGS.has(tag) ? 8 : BAD_TAGS.has(tag) ? -10 : 0;
  if (name !== " ") {
    if (GOOD_NAME.test(name)) bonus += 12;
    if (BAD_NAME.test(name)) bonus -= 12;
  }
  return bonus;
}

/** Returns for each element the child of `parent` that it is or is inside of, -1 for elements elsewhere. */
function siblingOfBest({ outline }: PageMeasures, parent: number): Int32Array {
  const siblings = new Int32Array(outline.elements.length).fill(-1);
  if (parent < 0) return siblings;
  for (let index = parent + 1; index <= outline.lastDescendants[parent]!; index++) {
    siblings[index] = outline.parents[index] === parent ? index : siblings[outline.parents[index]!]!;
  }
  return siblings;
}

function highestNearby({ outline }: PageMeasures, scores: Float64Array, element: number): number {
  let highest = 0;
  for (let index = element, steps = 0; index >= 0 && steps < 4; index = outline.parents[index]!, steps++) {
    highest = Math.max(highest, scores[index]!);
  }
  return highest;
}
