import type { SearchProvider } from "../provider.ts";
import { parsePaperId } from "./paper-id.ts";
import type { PaperSource } from "./paper.ts";

/** Papers among the pages that the caller's team has read: those whose address is that of a paper at a registry. */
export function createOwnPapers(ownIndex: SearchProvider): PaperSource {
  return {
    name: ownIndex.name,
    filters: new Set(),
    finds: new Set(),
    async search({ text, terms, limit, from, to, teamId, deadlineMs }) {
      const timeRange = {
        ...(from === undefined ? {} : { fromMs: Date.parse(from) }),
        ...(to === undefined ? {} : { toMs: Date.parse(to) + 86_399_999 }),
      };
      const outcome = await ownIndex.search({
        text, terms, limit, teamId, deadlineMs, source: "web", category: "research", includeDomains: [], excludeDomains: [],
        ...(from === undefined && to === undefined ? {} : { timeRange }),
      }); // prettier-ignore
      if (outcome.kind === "failed") return outcome;
      const papers = outcome.hits.flatMap(({ url, title, description, date }) => {
        const id = parsePaperId(url);
        if (id === undefined) return [];
        const dated = date === undefined ? {} : { createdDate: date };
        return [
          { ids: [id], title, abstract: description, authors: [], categories: [], ...dated, fullTextUrls: [url] },
        ];
      });
      return { kind: "answered", value: papers };
    },
  };
}
