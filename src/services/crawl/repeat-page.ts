import { dayKey } from "../../core/account/day-key.ts";
import { isUnchangedBySitemap, type PageVersion } from "../../core/crawl/page-version.ts";
import { documentId } from "../../core/scrape/document-id.ts";
import { reusedDocument } from "../../core/scrape/document-text.ts";
import type { JobSpecification } from "../../jobs/kind.ts";
import type { Deps } from "../deps.ts";
import { isIndexed, mayNeedRenewal } from "../scrape/index-pages.ts";
import { isAlwaysLoaded } from "./always-loaded.ts";
import type { EarlierItem } from "./earlier-pages.ts";
import { followLinks } from "./follow-links.ts";
import type { ItemOutcome, ItemTask } from "./item-task.ts";
import type { PageLinks } from "./stored-links.ts";

/** How a page was found to be unchanged: by the sitemap without a request, by the site (304), or by its content. */
export type UnchangedBy = "sitemap" | "not_modified" | "fingerprint";

interface Repeated {
  earlier: EarlierItem;
  by: UnchangedBy;
  /** Version with the newest validators. */
  version: PageVersion;
  /** Links of the page where it was loaded; else those of the earlier job are followed. */
  links?: PageLinks;
  credits: number;
}

/**
 * Returns the outcome of a page that has not changed: its document is that of the earlier job. Objects are deleted by the
 * day of their job, so a document of the earlier job is referred to when both are of the same day. Others are copied.
 * @returns undefined when the earlier document or its links are no longer stored; the page must then be read.
 */
export async function repeatPage(
  { item, specification, kind, documentNumber }: ItemTask,
  { earlier, by, credits, ...loaded }: Repeated,
): Promise<ItemOutcome | undefined> {
  const { page } = earlier;
  // The links are stored with the document.
  const before = await earlier.links();
  if (before === undefined) return undefined;
  const links = loaded.links ?? before;
  const { version } = loaded;
  const landing = { item, finalUrl: version.finalUrl ?? item.url, isRendered: version.isRendered ?? false };
  const verdict = kind.land(landing, specification.input);
  if (verdict.kind === "denied") return undefined;
  const { kind: _, ...place } = verdict;
  const scrapeId = documentId(specification.id, documentNumber);
  const rebased = kind.rebase?.(landing, specification.input);
  const facts = { scrapeId, metadataBytes: page.document.metadataBytes, creditsUsed: credits };
  const refers = isKeptAsLong(page.document.object, specification);
  const copy = refers ? undefined : copyOf(await earlier.document(), facts);
  if (!refers && copy === undefined) return undefined;
  const { object, offset, length } = page.document;
  const document =
    copy === undefined
      ? { object, offset, length, metadataBytes: page.document.metadataBytes }
      : { offset: 0, length: 0, metadataBytes: copy.metadataBytes };
  const own = refers && areSame(links, before) ? page.links : undefined;
  return {
    url: item.url,
    result: {
      key: item.key,
      attempt: item.attempt,
      kind: "scraped",
      ...document,
      scrapeId,
      credits,
      ...place,
      version,
      change: "unchanged",
      changeDetail: by,
      ...(own === undefined ? {} : { links: own }),
    },
    ...(copy === undefined ? {} : { json: copy.json }),
    ...(own === undefined ? { links } : {}),
    ...(rebased === undefined ? {} : { rebased }),
    ...(await followLinks(kind, landing, () => links.links, rebased ?? specification.input)),
    credits,
  };
}

/**
 * Returns the outcome of a page that was found to be unchanged without being read, as `repeatPage` does, with its address
 * for the search index where its entry there may need its renewal.
 * @param unread.readAtMs time of the request that confirmed the content; absent where the sitemap did without one.
 */
export async function repeatUnreadPage(
  deps: Pick<Deps, "clock" | "settings">,
  task: ItemTask,
  { earlier, by, readAtMs }: { earlier: EarlierItem; by: Exclude<UnchangedBy, "fingerprint">; readAtMs?: number },
): Promise<ItemOutcome | undefined> {
  const { item, specification } = task;
  const before = earlier.page.version;
  const { scrapeOptions: options, zeroDataRetention } = specification;
  const isLookedAt = isIndexed(deps, { options, zeroDataRetention }) && mayNeedRenewal(deps, before);
  const version = {
    ...before,
    ...(item.sitemapDate === undefined ? {} : { sitemapDate: item.sitemapDate }),
    ...(readAtMs === undefined ? {} : { readAtMs }),
    indexedAtMs: isLookedAt ? deps.clock.now() : (before.indexedAtMs ?? before.readAtMs),
  };
  const repeated = await repeatPage(task, { earlier, by, version, credits: 0 });
  if (repeated === undefined || !isLookedAt) return repeated;
  return { ...repeated, renewable: before.finalUrl ?? item.url };
}

function areSame(links: PageLinks, before: PageLinks): boolean {
  const areEqual = (some: readonly string[], others: readonly string[]): boolean =>
    some.length === others.length && some.every((text, index) => text === others[index]);
  return areEqual(links.links, before.links) && areEqual(links.chunks, before.chunks);
}

/** Reports whether an object is deleted no earlier than those of a job: it is of the same day, and of the job that this one continues. */
function isKeptAsLong(object: string, { since, createdAtMs }: JobSpecification): boolean {
  return since !== undefined && object.startsWith(`results/${dayKey(createdAtMs)}/${since.id}/`);
}

function copyOf(bytes: Uint8Array | undefined, facts: Parameters<typeof reusedDocument>[1]) {
  if (bytes === undefined) return undefined;
  const { document, metadataBytes } = reusedDocument(bytes, facts);
  return { json: new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(document), metadataBytes };
}

/** Reports whether the sitemap states that a page need not be loaded. */
export function isRepeatedBySitemap({ item, specification }: ItemTask, { page }: EarlierItem): boolean {
  if (isAlwaysLoaded(specification.scrapeOptions, page.version)) return false;
  return isUnchangedBySitemap(item.sitemapDate, page.version);
}

/** Returns the outcome of a page that the sitemap states to be unchanged; undefined when it must be read. */
export async function repeatBySitemap(
  deps: Pick<Deps, "clock" | "settings">,
  task: ItemTask,
  earlier: EarlierItem,
): Promise<ItemOutcome | undefined> {
  return await repeatUnreadPage(deps, task, { earlier, by: "sitemap" }).catch(() => undefined);
}
