import { z } from "zod";
import { UrlValue } from "../core/url.ts";
import { CallerFields } from "../formats/scrape-options.ts";
import { WebhookValue } from "./webhook.ts";

const MAX_DELAY_SECONDS = 60;
/** Forms of some clients ask for milliseconds and send them as they are. */
const DELAY_IN_SECONDS = `delay is in seconds, and at most ${MAX_DELAY_SECONDS} seconds; divide milliseconds by 1000`;

/** What a crawl takes in both versions (contract §§ 9.1, 9.2). */
export const SHARED_CRAWL_FIELDS = {
  url: UrlValue,
  includePaths: z.array(z.string()).optional(),
  excludePaths: z.array(z.string()).optional(),
  maxDiscoveryDepth: z.number().int().min(0).optional(),
  limit: z.number().int().min(1).optional(),
  crawlEntireDomain: z.boolean().optional(),
  allowExternalLinks: z.boolean().optional(),
  allowSubdomains: z.boolean().optional(),
  ignoreRobotsTxt: z.boolean().optional(),
  deduplicateSimilarURLs: z.boolean().optional(),
  ignoreQueryParameters: z.boolean().optional(),
  regexOnFullURL: z.boolean().optional(),
  delay: z
    .number()
    .positive()
    // The words of the first fault are those of the answer, if they are of our own making.
    .refine((seconds) => seconds <= MAX_DELAY_SECONDS, DELAY_IN_SECONDS)
    .max(MAX_DELAY_SECONDS)
    .optional(),
  maxConcurrency: z.int().min(1).optional(),
  webhook: WebhookValue.optional(),
  zeroDataRetention: z.boolean().optional(),
  ...CallerFields,
};

/** Old clients still say it in the words of version 1. */
export const SITEMAP_MODE = z.enum(["skip", "include", "only"]);
