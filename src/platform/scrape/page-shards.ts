import type { Shard } from "../../storage/scrape/page-store.ts";
import type { PageStore } from "./page-store.ts";

/** Calls the objects that store scrapes and cached pages. */
export function pageShards(namespace: DurableObjectNamespace<PageStore>): (name: string) => Shard {
  // An exception breaks the stub that raised it, so every call gets a new one.
  const stub = (name: string): DurableObjectStub<PageStore> => namespace.getByName(name);
  return (name) => ({
    keep: (row, retention) => stub(name).keep(row, retention),
    findPage: async (query) => stub(name).findPage(query),
    findScrape: async (row) => stub(name).findScrape(row),
    pagesOf: async (host, query) => stub(name).pagesOf(host, query),
  });
}
