import type { ScrapeOptions } from "../../formats/scrape-options.ts";
import { replayTextOf } from "./replay-plan.ts";
import type { DocumentParts } from "../../core/scrape/document-text.ts";
import type { KeptScrape } from "../../ports/storage/stores.ts";
import type { Caller, Deps } from "../deps.ts";

interface Scrape {
  id: string;
  /** JSON text of the document. */
  parts: DocumentParts;
  request: { url: string; apiVersion: "v1" | "v2"; zeroDataRetention: boolean; options?: ScrapeOptions };
  endpoint?: string;
  creditsUsed: number;
  createdAtMs: number;
  /** True for the placeholder of a queued scrape. */
  isPending?: boolean;
  /** Parts that later scrapes of the page may use. */
  cached?: Pick<KeptScrape, "page" | "shape">;
}

/** Stores everything that a scrape leaves, with one write, unless nothing may be retained. */
export async function storeScrape(
  deps: Pick<Deps, "scrapes" | "settings">,
  { key }: Caller,
  { id, parts, request, cached, endpoint = "scrape", creditsUsed, createdAtMs, isPending }: Scrape,
): Promise<void> {
  if (request.zeroDataRetention) return;
  const replay = endpoint === "scrape" ? replayTextOf(request.options) : undefined;
  await deps.scrapes.insert({
    document: parts,
    ...cached,
    record: {
      id,
      teamId: key.teamId,
      keyId: key.id,
      apiVersion: request.apiVersion,
      endpoint,
      target: request.url,
      creditsUsed,
      createdAtMs,
      expiresAtMs: createdAtMs + deps.settings.resultRetentionMs,
      ...(replay === undefined ? {} : { replay }),
      ...(isPending === true ? { isPending } : {}),
    },
  });
}
