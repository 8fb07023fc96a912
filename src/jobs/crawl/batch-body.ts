import { z } from "zod";
import { CallerFields } from "../../formats/scrape-options.ts";
import { BatchWebhook } from "../webhook.ts";

/** URLs of one request: each is parsed and queued before the response, some 75 µs each. */
const MAX_BATCH_URLS = 20_000;

/** Fields of a batch besides the scrape options (api-contract.md, “Batch scrape”); the same in both versions. */
export const BATCH_FIELDS = {
  urls: z
    .array(z.string())
    .min(1)
    .max(MAX_BATCH_URLS, `urls must have at most ${MAX_BATCH_URLS} entries; add further ones with appendToId`)
    .describe(
      "URLs of the pages to scrape, 1 to 20,000; add further ones with `appendToId`. A URL that is listed twice is scraped twice.",
    ),
  webhook: BatchWebhook.optional().describe("URL, or object with a URL, that receives the events of the job."),
  appendToId: z.uuid().optional().describe("ID of an existing batch to add the URLs to. Default: a new batch."),
  ignoreInvalidURLs: z
    .boolean()
    .optional()
    .describe(
      "Skips invalid URLs and lists them in `invalidURLs` instead of refusing the request. Default: true, in version 1: false.",
    ),
  maxConcurrency: z
    .int()
    .min(1)
    .optional()
    .describe("Maximum number of pages of the job that are scraped at the same time. Default: the limit of the key."),
  zeroDataRetention: z
    .boolean()
    .optional()
    .describe(
      "Deletes the result once it has been read. It is refused unless the deployment allows it. Default: false.",
    ),
  ...CallerFields,
};
