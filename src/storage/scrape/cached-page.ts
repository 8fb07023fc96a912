import { z } from "zod";
import type { LoadedPage } from "../../core/scrape/page.ts";
import { readReplaceable } from "../../core/stored-state.ts";
import type { PageRow } from "./page-shard.ts";

/** Fields of a page stored in its row; the body and the screenshot are stored apart. */
const StoredPage = z.object({
  engine: z.enum(["cache", "fetch", "browser", "upload"]),
  url: z.string(),
  statusCode: z.number(),
  headers: z.record(z.string(), z.string()),
  contentType: z.string().optional(),
  timezone: z.string().optional(),
  proxyUsed: z.string().optional(),
  warnings: z.array(z.string()).default([]),
  isText: z.boolean(),
  screenshotType: z.string().optional(),
});

/** Serializes the fields of a page without its body and screenshot. */
export function toFacts({ body, screenshot, ...page }: LoadedPage): string {
  const { url, statusCode, headers, contentType, engine, warnings, timezone, proxyUsed } = page;
  return JSON.stringify({
    url,
    statusCode,
    headers,
    contentType,
    engine,
    warnings,
    timezone,
    proxyUsed,
    isText: typeof body === "string",
    screenshotType: screenshot?.contentType,
  });
}

/** Reads the parts of a page that are stored apart. */
export interface PartReaders {
  text(row: PageRow): Promise<string | undefined>;
  bytes(row: PageRow): Promise<Uint8Array | undefined>;
  screenshot(key: string): Promise<Uint8Array | undefined>;
}

/** Returns a stored page; undefined when a part of it is missing or cannot be read. */
export async function fromRow(row: PageRow, storedAtMs: number, read: PartReaders): Promise<LoadedPage | undefined> {
  const stored = readReplaceable(StoredPage, row.facts);
  if (stored === undefined) return undefined;
  const { isText, screenshotType = "image/png", contentType, timezone, proxyUsed, ...page } = stored;
  const [body, screenshot] = await Promise.all([
    isText ? read.text(row) : read.bytes(row),
    row.screenshotKey === undefined ? undefined : read.screenshot(row.screenshotKey),
  ]);
  if (body === undefined || (row.screenshotKey !== undefined && screenshot === undefined)) return undefined;
  return {
    ...page,
    contentType,
    engine: "cache",
    body,
    cachedAtMs: storedAtMs,
    ...(timezone === undefined ? {} : { timezone }),
    ...(proxyUsed === undefined ? {} : { proxyUsed }),
    ...(screenshot === undefined ? {} : { screenshot: { bytes: screenshot, contentType: screenshotType } }),
  };
}
