import type { KeptRow } from "../../storage/scrape/page-shard.ts";
import type { Shard } from "../../storage/scrape/page-store.ts";
import { createObjectCalls } from "../object-calls.ts";
import type { PageStore } from "./page-store.ts";

/** Calls the objects that store scrapes and cached pages. Every call may be made twice. */
export function pageShards(namespace: DurableObjectNamespace<PageStore>): (name: string) => Shard {
  const call = createObjectCalls(namespace);
  return (name) => ({
    keep: (row, retention) => call(name, async (stub) => toKept(await stub.keep(row, retention))),
    findPage: (query) => call(name, async (stub) => stub.findPage(query)),
    findScrape: (row) => call(name, async (stub) => stub.findScrape(row)),
    pagesOf: (host, query) => call(name, async (stub) => stub.pagesOf(host, query)),
  });
}

/** An object of an earlier version returns the size of its database alone. */
function toKept(kept: KeptRow | number): KeptRow {
  return typeof kept === "number" ? { bytes: kept, replaced: [] } : kept;
}
