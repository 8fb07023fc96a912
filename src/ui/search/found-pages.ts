/** The provider that finds what was scraped here. */
export const OWN_INDEX = "own-index";

interface Item {
  url: string;
  title?: string;
  description?: string;
  snippet?: string;
  provider?: string;
  providers?: string[];
  scrapeId?: string;
}

/** The part of a search's answer that is shown (`SearchAnswer`). */
export interface SearchAnswer {
  data: Record<string, Item[] | undefined>;
  warning?: string;
}

export interface FoundPage {
  url: string;
  title: string;
  snippet: string;
  providers: string[];
  /** What it was read by, which is kept for a while. */
  scrapeId: string | undefined;
}

/** Pages of all groups, each once, in the order of the answer. */
export function foundPages({ data }: SearchAnswer): FoundPage[] {
  const pages = new Map<string, FoundPage>();
  for (const item of Object.values(data).flatMap((group) => group ?? [])) {
    if (pages.has(item.url)) continue;
    const { url, title = "", description, snippet, provider, providers, scrapeId } = item;
    pages.set(url, {
      url,
      title: title === "" ? url : title,
      snippet: toPlain(description ?? snippet ?? ""),
      providers: providers ?? (provider === undefined ? [] : [provider]),
      scrapeId,
    });
  }
  return [...pages.values()];
}

/** Snippets are cut out of markdown; its marks at the beginning of a line and around words say nothing here. */
function toPlain(markdown: string): string {
  return markdown.replaceAll(/^[#>\s*|-]+/g, "").replaceAll(/[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}/g, "");
}

/** The words of a query that a text may show, without operators and what is excluded. */
export function wordsOf(query: string): string[] {
  const plain = query.replaceAll(/(?:^|\s)-\S+/g, " ").replaceAll(/\b\w+:\S+/g, " ");
  return [...new Set(plain.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [])];
}

/** The text cut at the query's words: every second part is one of them. */
export function cutAtWords(text: string, words: readonly string[]): string[] {
  if (words.length === 0) return [text];
  return text.split(new RegExp(`((?:${words.join("|")})[\\p{L}\\p{N}]*)`, "giu"));
}
