import type { ScrapeDocument } from "../../core/scrape/document.ts";
import type { ScrapeOptions } from "../../formats/scrape-options.ts";
import { replayTextOf } from "./replay-plan.ts";
import type { Caller, Deps } from "../deps.ts";

/** A stored scrape: its ID, and its document as the exact JSON text. */
export interface StoredScrape {
  id: string;
  documentJson: string;
}

interface Scrape {
  id: string;
  document: ScrapeDocument;
  request: { url: string; apiVersion: "v1" | "v2"; zeroDataRetention: boolean; options?: ScrapeOptions };
  endpoint?: string;
  creditsUsed: number;
  createdAtMs: number;
}

/** Stores a scrape before the response is sent, unless nothing may be retained. */
export async function storeScrape(
  deps: Pick<Deps, "scrapes" | "settings">,
  { key }: Caller,
  { id, document, request, endpoint = "scrape", creditsUsed, createdAtMs }: Scrape,
): Promise<StoredScrape> {
  const documentJson = JSON.stringify(document);
  if (request.zeroDataRetention) return { id, documentJson };
  const replay = endpoint === "scrape" ? replayTextOf(request.options) : undefined;
  await deps.scrapes.insert(
    {
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
    },
    documentJson,
  );
  return { id, documentJson };
}
