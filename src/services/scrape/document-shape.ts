import { converterHash } from "#converter";
import { sha256Hex } from "../../core/text/hash.ts";
import type { FormatRequest } from "../../formats/index.ts";
import type { ScrapeOptions } from "../../formats/scrape-options.ts";
import type { ScrapePlan } from "./scrape-plan.ts";

/** Formats that depend on nothing but the page and the request: neither on a model nor on other pages or files. */
const REPEATABLE: ReadonlySet<FormatRequest["type"]> = new Set([
  "markdown",
  "html",
  "rawHtml",
  "rawBase64",
  "links",
  "images",
  "attributes",
]);

interface ShapedRequest {
  url: string;
  options: ScrapeOptions;
  zeroDataRetention: boolean;
}

/**
 * Returns the hash of everything that a document depends on besides its page, the converter and the price included, so
 * that documents of another version's converter are derived again; undefined for a document that must be derived again, or whose request leaves nothing behind.
 */
export async function documentShape(
  plan: ScrapePlan,
  { url, options, zeroDataRetention }: ShapedRequest,
  teamId: string,
  converter = converterHash,
): Promise<string | undefined> {
  const { formats, open, page } = plan;
  if (zeroDataRetention || plan.onlyCleanContent || plan.checkPromptInjection || page.actions.length > 0) {
    return undefined;
  }
  if (!formats.every(({ type }) => REPEATABLE.has(type))) return undefined;
  const { lockdown = false, redactPII = false } = options;
  const { clean, pdf, bytesOnly, pictures = false } = open;
  const shape = [
    converter, teamId, url, formats, clean, pdf ?? null, bytesOnly, pictures, plan.removeBase64Images, redactPII,
    plan.redaction ?? null, plan.warnings, lockdown, plan.tools ?? null,
  ]; // prettier-ignore
  return await sha256Hex(JSON.stringify(shape));
}
