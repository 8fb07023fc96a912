import { withoutStopWords } from "../../src/core/search/stop-words.ts";
import { wordsOf } from "../../src/core/search/words.ts";
import type { FoundPage } from "../../src/jobs/step-kind.ts";

/** Ranks pages by the number of a query's words in title, description and text, weighted by their rarity. */
export function wordSearch(
  pages: readonly { url: string; title: string; description: string; html: string }[],
): (query: string, limit?: number) => FoundPage[] {
  const indexed = pages.map((page) => ({
    page,
    head: new Set(wordsOf(`${page.title} ${page.description}`)),
    all: new Set(wordsOf(`${page.title} ${page.description} ${page.html.replaceAll(/<[^>]*>/g, " ")}`)),
  }));
  return (query, limit = 8) => {
    const terms = [...new Set(withoutStopWords(wordsOf(query)))];
    const rarity = terms.map((term) =>
      Math.log(1 + indexed.length / (1 + indexed.filter(({ all }) => all.has(term)).length)),
    );
    const scored = indexed.map(({ page, head, all }) => ({
      page,
      score: terms.reduce((sum, term, index) => sum + (rarity[index] ?? 0) * ((all.has(term) ? 1 : 0) + (head.has(term) ? 0.5 : 0)), 0),
    })); // prettier-ignore
    return scored
      .filter(({ score }) => score > 0)
      .toSorted((one, other) => other.score - one.score)
      .slice(0, limit)
      .map(({ page: { url, title, description } }) => ({ url, title, description }));
  };
}
