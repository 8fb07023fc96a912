import type { ScrapeOptions } from "../../formats/scrape-options.ts";
import { replayTextOf } from "./replay-plan.ts";
import type { Caller, Deps } from "../deps.ts";

interface Scrape {
  id: string;
  /** JSON text of the document. */
  json: string;
  request: { url: string; apiVersion: "v1" | "v2"; zeroDataRetention: boolean; options?: ScrapeOptions };
  endpoint?: string;
  creditsUsed: number;
  createdAtMs: number;
}

/** Stores a scrape before the response is sent, unless nothing may be retained. */
export async function storeScrape(
  deps: Pick<Deps, "scrapes" | "settings">,
  { key }: Caller,
  { id, json, request, endpoint = "scrape", creditsUsed, createdAtMs }: Scrape,
): Promise<void> {
  if (request.zeroDataRetention) return;
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
    json,
  );
}
