import { z } from "@hono/zod-openapi";

/**
 * Options of a version 1 crawl that some clients also send to version 2 (api-contract.md, “Tolerated input”). Each has an
 * equivalent in version 2.
 */
export const OLDER_CRAWL_FIELDS = {
  ignoreSitemap: z
    .boolean()
    .optional()
    .describe('Older form of `sitemap: "skip"`; `sitemap` takes precedence, and `warning` says so. Default: false.'),
  maxDepth: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe("Applied as `maxDiscoveryDepth`, which takes precedence; `warning` says so. Default: no limit."),
  allowBackwardLinks: z
    .boolean()
    .optional()
    .describe("Older name of `crawlEntireDomain`, which takes precedence; `warning` says so. Default: false."),
};

interface OlderOptions {
  ignoreSitemap?: boolean | undefined;
  maxDepth?: number | undefined;
  allowBackwardLinks?: boolean | undefined;
}

interface NewerOptions {
  sitemap?: "skip" | "include" | "only" | undefined;
  maxDiscoveryDepth?: number | undefined;
  crawlEntireDomain?: boolean | undefined;
}

/** Returns the body with the names of version 2, and the warnings about the older names that it contains. */
export function translateOlderOptions<Body extends OlderOptions & NewerOptions>({
  ignoreSitemap,
  maxDepth,
  allowBackwardLinks,
  ...body
}: Body): { body: Omit<Body, keyof OlderOptions>; warnings: string[] } {
  const { sitemap, maxDiscoveryDepth, crawlEntireDomain } = body;
  const translated = {
    ...body,
    sitemap: sitemap ?? (ignoreSitemap === true ? "skip" : undefined),
    maxDiscoveryDepth: maxDiscoveryDepth ?? maxDepth,
    crawlEntireDomain: crawlEntireDomain ?? allowBackwardLinks,
  };
  const warnings = [
    ...(ignoreSitemap === true ? [warn("ignoreSitemap", "sitemap", sitemap)] : []),
    ...(maxDepth === undefined ? [] : [warn("maxDepth", "maxDiscoveryDepth", maxDiscoveryDepth)]),
    ...(allowBackwardLinks === true ? [warn("allowBackwardLinks", "crawlEntireDomain", crawlEntireDomain)] : []),
  ];
  return { body: translated, warnings };
}

function warn(older: string, newer: string, value: unknown): string {
  const outcome = value === undefined ? `it is applied as ${newer}` : `${newer} takes precedence`;
  return `${older}: an option of version 1; ${outcome}.`;
}
