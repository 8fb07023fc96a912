import { converterHash } from "#converter";
import { z } from "zod";
import { sha256Hex, toHex } from "../text/hash.ts";
import type { LoadedPage } from "./page.ts";

/** Origin of a derived text: hashes of the converter and of the page as it was loaded. */
export const PageSource = z.object({ converter: z.string(), page: z.string() });
export type PageSource = z.infer<typeof PageSource>;

const CONVERTER_CHARS = 16;
const PAGE_CHARS = 32;

/** Returns the source of what this version derives from a page. */
export async function pageSourceOf({
  url,
  contentType,
  body,
}: Pick<LoadedPage, "url" | "contentType" | "body">): Promise<PageSource> {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const digest = toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
  const page = await sha256Hex(JSON.stringify([url, contentType ?? null, digest]));
  return { converter: converterHash.slice(0, CONVERTER_CHARS), page: page.slice(0, PAGE_CHARS) };
}

/**
 * Reports whether two texts differ by their converters alone, as after an upgrade: both were derived from the same page.
 * False where that is unknown.
 */
export function isConvertedAnew(before: PageSource | undefined, now: PageSource | undefined): boolean {
  if (before === undefined || now === undefined) return false;
  return before.page === now.page && before.converter !== now.converter;
}
