import { FOLLOWED_LINKS } from "../../content/page-parts.ts";
import type { PageResult } from "../../core/crawl/frontier.ts";
import type { PageChange, PageVersion } from "../../core/crawl/page-version.ts";
import { isConvertedAnew } from "../../core/scrape/page-source.ts";
import type { DocumentMetadata, ScrapeDocument } from "../../core/scrape/document.ts";
import { joinDocument, toDocumentParts } from "../../core/scrape/document-text.ts";
import { utf8Length } from "../../core/text/utf8.ts";
import { formatFor, formatsOf } from "../../formats/index.ts";
import type { LoadedThroughCache } from "../scrape/load-through-cache.ts";
import { isAlwaysLoaded, storesFiles } from "./always-loaded.ts";
import type { ItemOutcome, ItemTask } from "./item-task.ts";
import { pageVersionOf } from "./page-version-of.ts";
import { repeatPage } from "./repeat-page.ts";
import type { PageLinks } from "./stored-links.ts";

/** Status codes of a page that no longer exists. */
const GONE: ReadonlySet<number> = new Set([404, 410]);

type Scraped = Extract<PageResult, { kind: "scraped" }>;

interface DerivedPage {
  loaded: LoadedThroughCache;
  document: ScrapeDocument;
  json: string;
  credits: number;
  /** True when the template of the site was applied. */
  hasTemplate: boolean;
  removesImages: boolean;
  /** Time at which the page was loaded from the site, in ms since the epoch. */
  readAtMs: number;
}

/** Part of a page's outcome that depends on the earlier job, or that a later one needs. */
export interface ComparedPage {
  json: string;
  result: Partial<Scraped>;
  links?: PageLinks;
  /** The whole outcome of a page that has not changed. */
  repeated?: ItemOutcome;
  /** Links of the earlier page, where the page as it was loaded is not its content. */
  earlierLinks?: readonly string[];
}

/** Compares a derived page with the earlier job, and adds what a later crawl needs of it. */
export async function comparePage(task: ItemTask, derived: DerivedPage): Promise<ComparedPage> {
  const { specification, earlier } = task;
  const { loaded, document, json } = derived;
  if (!specification.keepsVersions) return { json, result: {} };
  const { statusCode, isIncomplete = false } = loaded.view.loaded;
  const isGone = GONE.has(statusCode);
  if (isGone && earlier !== undefined) return await removedPage(task, derived);
  if (isGone) return { json, result: {} };
  if (loaded.obstacle?.kind === "blocked" || statusCode >= 400 || isIncomplete) return await keptState(task, json);
  const links = { links: loaded.view.links(FOLLOWED_LINKS), chunks: (document.chunks ?? []).map(({ id }) => id) };
  const version = await versionOf(task, derived);
  if (earlier === undefined) {
    const isNew = specification.since !== undefined;
    return withChange(derived, { ...(isNew ? { change: "new" } : {}), version, links });
  }
  if (earlier.page.version.fingerprint === version.fingerprint) {
    const repeated = storesFiles(specification.scrapeOptions)
      ? undefined
      : await repeatPage(task, { earlier, by: "fingerprint", version, links, credits: derived.credits });
    if (repeated !== undefined) return { json, result: {}, repeated };
    return withChange(derived, { change: "unchanged", detail: "fingerprint", version, links });
  }
  const before = (await earlier.links())?.chunks ?? [];
  const now = new Set(links.chunks);
  const chunks = before.filter((id) => !now.has(id));
  // Other chunks of the same page are a change to those who store them.
  const hasSameChunks = chunks.length === 0 && before.length === now.size;
  if (hasSameChunks && isConvertedAnew(earlier.page.version.source, version.source))
    return withChange(derived, { change: "unchanged", detail: "fingerprint", version, links });
  const removed = { scrapeId: earlier.page.document.scrapeId, chunks };
  return withChange(derived, { change: "changed", version, links, ...(chunks.length > 0 ? { removed } : {}) });
}

async function versionOf({ item }: ItemTask, derived: DerivedPage): Promise<PageVersion> {
  const { loaded, document, hasTemplate, removesImages, readAtMs } = derived;
  const markdown = loaded.view.markdown({ removeBase64Images: removesImages });
  return await pageVersionOf({ item, loaded: loaded.view.loaded, markdown, document, hasTemplate, readAtMs });
}

async function removedPage({ earlier }: ItemTask, derived: DerivedPage): Promise<ComparedPage> {
  const chunks = (await earlier?.links())?.chunks ?? [];
  const scrapeId = earlier?.page.document.scrapeId ?? "";
  const detail = `HTTP ${derived.loaded.view.loaded.statusCode}`;
  return withChange(derived, { change: "removed", detail, removed: { scrapeId, chunks } });
}

/** A refusal or a failure of the site is no state of the page: the next crawl compares with the earlier one. */
async function keptState({ earlier }: ItemTask, json: string): Promise<ComparedPage> {
  if (earlier === undefined) return { json, result: {} };
  const links = (await earlier.links())?.links;
  return { json, result: { carried: earlier.page }, ...(links === undefined ? {} : { earlierLinks: links }) };
}

interface ChangedPage {
  change?: PageChange;
  detail?: string;
  version?: PageVersion;
  links?: PageLinks;
  removed?: NonNullable<Scraped["removed"]>;
}

/** Adds the change to the metadata of the document. */
function withChange(
  { document, json }: DerivedPage,
  { change, detail, version, links, removed }: ChangedPage,
): ComparedPage {
  const { metadata } = document;
  const chunks = removed?.chunks ?? [];
  const marked: DocumentMetadata =
    change === undefined
      ? metadata
      : { ...metadata, changeStatus: change, ...(chunks.length > 0 ? { removedChunks: chunks } : {}) };
  return {
    json: change === undefined ? json : joinDocument(toDocumentParts({ ...document, metadata: marked })),
    result: {
      metadataBytes: utf8Length(JSON.stringify(marked)),
      ...(change === undefined ? {} : { change }),
      ...(detail === undefined ? {} : { changeDetail: detail }),
      ...(version === undefined ? {} : { version }),
      ...(removed === undefined ? {} : { removed }),
    },
    ...(links === undefined ? {} : { links }),
  };
}

/** Reports whether a page can be asked for conditionally: one request without a browser is all that its load needs. */
export function mayAskConditionally({ earlier, specification }: ItemTask): boolean {
  const { scrapeOptions } = specification;
  if (earlier === undefined || isAlwaysLoaded(scrapeOptions, earlier.page.version)) return false;
  return formatsOf(scrapeOptions).every(({ type }) => formatFor(type).needs.length === 0 && type !== "changeTracking");
}
