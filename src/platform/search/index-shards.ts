import type { IndexShardCalls } from "../../storage/search/page-index.ts";
import { createObjectCalls } from "../object-calls.ts";
import type { SearchIndex } from "./search-index.ts";

/** Calls the objects that hold the search indexes of teams. Every call may be made twice. */
export function indexShards(namespace: DurableObjectNamespace<SearchIndex>): (name: string) => IndexShardCalls {
  const call = createObjectCalls(namespace);
  return (name) => ({
    put: (entries, options) => call(name, (stub) => stub.put(entries, options)),
    due: (marks, times) => call(name, async (stub) => stub.due(marks, times)),
    remove: (marks) => call(name, async (stub) => stub.remove(marks)),
    search: (query) => call(name, async (stub) => stub.search(query)),
    size: () => call(name, async (stub) => stub.size()),
    adopt: (layout) => call(name, async (stub) => stub.adopt(layout)),
  });
}
