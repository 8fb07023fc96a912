import type { Context, TypedResponse } from "hono";
import type { JSONParsed } from "hono/utils/types";
import type { ScrapeDocument } from "../../core/scrape/document.ts";
import type { ErrorCode } from "../../core/errors.ts";
import type { Meter } from "../../core/account/meter.ts";
import type { Receipt } from "../../core/account/receipt.ts";
import { outputsOf } from "../../formats/outputs.ts";
import { checkRetention } from "../../services/account/check-retention.ts";
import { estimateCredits } from "../../services/scrape/scrape-credits.ts";
import { scrapePage, type ScrapeRequest } from "../../services/scrape/scrape-page.ts";
import type { Timeline } from "../../services/scrape/timeline.ts";
import type { AppEnv } from "../context.ts";
import { publicOrigin } from "../public-origin.ts";
import { admitWork } from "../account/rate-limit.ts";
import { nameWork, receiptOf, workTarget } from "../work.ts";
import { checkUnread, countedBody } from "./counted-body.ts";

/** Failures of a scrape, in addition to those of every route. */
export const SCRAPE_FAILURES = [
  "BAD_REQUEST",
  "SAFE_MODE_BLOCKED",
  "SCRAPE_TIMEOUT",
  "SCRAPE_NO_CACHED_DATA",
  "SCRAPE_ALL_ENGINES_FAILED",
  "SCRAPE_SITE_ERROR",
  "SCRAPE_SSL_ERROR",
  "SCRAPE_PROXY_SELECTION_ERROR",
  "SCRAPE_PROXY_UNREACHABLE",
  "SCRAPE_PROXY_DENIED",
  "SCRAPE_ACTION_ERROR",
  "SCRAPE_UNSUPPORTED_FILE_ERROR",
  "SCRAPE_BODY_TOO_LARGE",
  "SCRAPE_WORK_LIMIT",
  "SCRAPE_BROWSER_UNAVAILABLE",
  "SCRAPE_AUDIO_UNSUPPORTED_URL",
  "SCRAPE_VIDEO_UNSUPPORTED_URL",
] as const satisfies ErrorCode[];

/** The envelope of a scraped page in the routes' documentation. */
interface DocumentResult {
  success: true;
  data: ScrapeDocument;
  scrape_id?: string;
  receipt?: Receipt;
}

interface ScrapeCall extends Omit<ScrapeRequest, "zeroDataRetention" | "publicOrigin"> {
  zeroDataRetention?: boolean | undefined;
  /** The caller's name for itself; sites that embed a playground receive the scrape's id. */
  origin?: string | undefined;
}

export type DocumentResponse = Response & TypedResponse<JSONParsed<DocumentResult>, 200, "json">;

/** Admits a scrape, runs it and answers, for v1 and v2. */
export async function respondWithScrape(c: Context<AppEnv>, call: ScrapeCall): Promise<DocumentResponse> {
  const { origin, ...rest } = call;
  const request: ScrapeRequest = {
    ...rest,
    zeroDataRetention: call.zeroDataRetention ?? false,
    publicOrigin: publicOrigin(c.req.raw),
  };
  checkRetention(c.var.deps, request.zeroDataRetention);
  // The key is asked for its limits when the page is admitted: waiting requests cost the others nothing.
  const takeCredits = async (): Promise<void> => {
    checkUnread(c);
    await admitWork(c, {
      mode: "scrape",
      endpoint: "scrape",
      target: workTarget(request.url, request.zeroDataRetention),
      formats: outputsOf(request.options),
      credits: estimateCredits(request),
    });
  };
  const { id, json, timeline, engine } = await scrapePage(c.var.deps, c.var.caller, request, takeCredits);
  nameWork(c, { id, engine, pages: 1 });
  c.header("Server-Timing", serverTiming(timeline, c.var.deps.meter));
  return respondWithDocument(c, json, origin?.includes("website") === true ? id : undefined);
}

/**
 * Inserts a document's exact JSON text into the envelope, so that reading it later returns the same bytes. Work adds
 * its receipt. The cast is safe: the text was written from a `ScrapeDocument` and is not parsed again.
 */
export function respondWithDocument(c: Context<AppEnv>, documentJson: string, scrapeId?: string): DocumentResponse {
  const named = scrapeId === undefined ? "" : `,"scrape_id":${JSON.stringify(scrapeId)}`;
  const tail = c.var.work === undefined ? named : `${named},"receipt":${JSON.stringify(receiptOf(c))}`;
  const body = countedBody(c, `{"success":true,"data":${documentJson}${tail}}`);
  return c.body(body, 200, { "Content-Type": "application/json; charset=utf-8" }) as unknown as DocumentResponse;
}

/** Formats the durations of steps in ms, and the billed operations (W3C Server Timing; counts are in `desc`). */
function serverTiming(timeline: Timeline, { counts }: Meter): string {
  const steps = [...timeline.steps].map(([step, ms]) => `${step};dur=${ms}`);
  const bills = [
    ["d1-read", counts.d1RowsRead],
    ["d1-write", counts.d1RowsWritten],
    ["r2-write", counts.r2Writes],
    ["r2-read", counts.r2Reads],
    ["do", counts.durableObjectRequests],
    ["bytes", counts.bytesFetched],
  ].map(([label, count]) => `${label};desc="${count}"`);
  return [...steps, ...bills].join(", ");
}
