/** The search provider for pages that this service scraped. */
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

/** The displayed fields of a search response. */
export interface SearchResponse {
  data: Record<string, Item[] | undefined>;
  warning?: string;
}

export interface FoundPage {
  url: string;
  title: string;
  snippet: string;
  providers: string[];
  /** The ID of the scrape, whose result is stored for a limited time. */
  scrapeId: string | undefined;
}

/** Returns the pages of all groups without duplicates, in the order of the response. */
export function foundPages({ data }: SearchResponse): FoundPage[] {
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

/** Removes Markdown syntax from a snippet: markers at the start and around words. */
function toPlain(markdown: string): string {
  return markdown.replaceAll(/^[#>\s*|-]+/g, "").replaceAll(/[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}/g, "");
}

/** Returns the words of a query without operators and excluded words. */
export function wordsOf(query: string): string[] {
  const plain = query.replaceAll(/(?:^|\s)-\S+/g, " ").replaceAll(/\b\w+:\S+/g, " ");
  return [...new Set(plain.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [])];
}

/** Splits a text at the query's words. Every second part is such a word. */
export function cutAtWords(text: string, words: readonly string[]): string[] {
  if (words.length === 0) return [text];
  return text.split(new RegExp(`((?:${words.join("|")})[\\p{L}\\p{N}]*)`, "giu"));
}
