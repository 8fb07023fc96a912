import type { PageResult } from "../../core/crawl/frontier.ts";
import { NOTHING, type Discoveries } from "../../jobs/kind.ts";
import type { ItemOutcome, ItemTask } from "./item-task.ts";

/**
 * Returns the outcome of a page that was not loaded. A failure says nothing about its content: what the earlier job knows
 * about the page is kept, and the URLs that it has led to are followed.
 */
export async function unreadPage(task: ItemTask, result: PageResult): Promise<ItemOutcome> {
  const { item, earlier } = task;
  const plain = { url: item.url, result, discoveries: NOTHING, credits: 0 };
  if (result.kind !== "failed" || earlier === undefined) return plain;
  return { ...plain, result: { ...result, carried: earlier.page }, discoveries: await earlierDiscoveries(task) };
}

/** Returns the URLs that a page has led to in the earlier job: its failure does not remove them. */
export async function earlierDiscoveries({ earlier, item, specification, kind }: ItemTask): Promise<Discoveries> {
  const stored = await earlier?.links().catch(() => undefined);
  if (earlier === undefined || stored === undefined) return NOTHING;
  const { finalUrl = item.url, isRendered = false } = earlier.page.version;
  return kind.follow({ item, finalUrl, isRendered }, () => stored.links, specification.input);
}
