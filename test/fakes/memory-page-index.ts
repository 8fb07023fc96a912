import type { IndexedPage, PageIndex } from "../../src/ports/search/page-index.ts";
import type { ProviderPauses } from "../../src/ports/search/provider-pauses.ts";
import { isOnSite } from "../../src/core/search/search-query.ts";
import { wordsOf } from "../../src/core/search/words.ts";

/** Pages in memory, found by having all words of the query; `pages` shows what was put. */
export function memoryPageIndex(): PageIndex & { pages: Map<string, IndexedPage & { teamId: string }> } {
  const pages = new Map<string, IndexedPage & { teamId: string }>();
  return {
    pages,
    async put(teamId, added) {
      for (const page of added) pages.set(`${teamId} ${page.url}`, { ...page, teamId });
    },
    async search(teamId, { terms, limit }) {
      const wanted = terms.groups.flatMap((group) => group.flatMap(({ text }) => wordsOf(text)));
      const isWanted = (page: IndexedPage & { teamId: string }): boolean => {
        const words = new Set(wordsOf(`${page.title} ${page.body}`));
        const onSite = terms.sites.length === 0 || isOnSite(page.url, terms.sites);
        return page.teamId === teamId && onSite && wanted.every((word) => words.has(word));
      };
      return [...pages.values()].filter(isWanted).slice(0, limit);
    },
    purge: async () => 0,
  };
}

/** Pauses in memory. */
export function noPauses(): ProviderPauses & { pauses: Map<string, number> } {
  const pauses = new Map<string, number>();
  return {
    pauses,
    list: async (nowMs) => new Map([...pauses].filter(([, untilMs]) => untilMs > nowMs)),
    async set(provider, untilMs) {
      pauses.set(provider, Math.max(untilMs, pauses.get(provider) ?? 0));
    },
  };
}
