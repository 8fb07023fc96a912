import { joinDocument, repeatedMetadata } from "../../core/scrape/document-text.ts";
import type { ScrapeDocument } from "../../core/scrape/document.ts";
import { repeatId, timesOf } from "../../core/scrape/scrape-id.ts";
import { readOwn } from "../../core/stored-state.ts";
import type { KeptDocument } from "../../ports/storage/stores.ts";
import type { Account } from "../account/account.ts";
import type { Deps } from "../deps.ts";
import type { ScrapeResult } from "./run-scrape.ts";
import type { Timeline } from "./timeline.ts";

/**
 * Returns the document of an earlier scrape of the same page in the same shape, as the result of this one. Nothing is
 * derived, and nothing is stored: the id names the stored document, from which the same text is written when it is read.
 */
export async function repeatDocument(
  deps: Pick<Deps, "clock" | "meter" | "defer">,
  { document: parts, row, storedAtMs }: KeptDocument,
  { account, timeline, ms }: { account: Account; timeline: Timeline; ms: number },
): Promise<Pick<ScrapeResult, "id" | "document" | "json" | "creditsUsed" | "timeline" | "engine">> {
  deps.meter.add("pages");
  const id = repeatId(row, deps.clock.now(), ms);
  const { lookupMs } = timesOf(id);
  const metadata = repeatedMetadata(parts.metadata, { id, cachedAtMs: storedAtMs, lookupMs });
  const { creditsUsed = account.chargedCredits } = readOwn<ScrapeDocument["metadata"]>(metadata);
  if (creditsUsed > account.chargedCredits) await account.settle(creditsUsed);
  else deps.defer(account.settle(creditsUsed));
  const json = joinDocument({ fields: parts.fields, metadata });
  timeline.add("load", ms);
  timeline.add("cache", ms);
  return {
    id,
    json,
    creditsUsed,
    timeline,
    engine: "cache",
    get document() {
      return readOwn<ScrapeDocument>(json);
    },
  };
}
