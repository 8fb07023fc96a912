/** One section of a document, as the search index holds it. */
export interface DocEntry {
  /** The document's name below `/docs/`. */
  name: string;
  /** The document's title. */
  title: string;
  heading: string;
  anchor: string;
  text: string;
}

export interface FoundSection {
  entry: DocEntry;
  /** The passage around the first match. */
  excerpt: string;
}

const MAX_RESULTS = 20;
const EXCERPT_BEFORE = 60;
const EXCERPT_LENGTH = 180;
const TITLE_WEIGHT = 20;
const HEADING_WEIGHT = 10;
const MAX_COUNT = 5;

/** Finds the sections that contain every word of the query; the best matches come first. */
export function findSections(entries: readonly DocEntry[], query: string): FoundSection[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, MAX_RESULTS)
    .map(({ entry }) => ({ entry, excerpt: excerptOf(entry.text, words) }));
}

function scoreOf({ title, heading, text }: DocEntry, words: readonly string[]): number {
  let total = 0;
  for (const word of words) {
    const score =
      (title.toLowerCase().includes(word) ? TITLE_WEIGHT : 0) +
      (heading.toLowerCase().includes(word) ? HEADING_WEIGHT : 0) +
      Math.min(MAX_COUNT, text.toLowerCase().split(word).length - 1);
    if (score === 0) return 0;
    total += score;
  }
  return total;
}

function excerptOf(text: string, words: readonly string[]): string {
  const places = words.map((word) => text.toLowerCase().indexOf(word)).filter((place) => place >= 0);
  const start = Math.max(0, Math.min(...places, text.length) - EXCERPT_BEFORE);
  // A passage begins with a whole word.
  const from = places.length === 0 || start === 0 ? 0 : text.indexOf(" ", start) + 1;
  const cut = text.slice(from, from + EXCERPT_LENGTH);
  return `${from > 0 ? "…" : ""}${cut}${from + EXCERPT_LENGTH < text.length ? "…" : ""}`;
}
