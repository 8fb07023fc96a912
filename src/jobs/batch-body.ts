import { z } from "zod";
import { CallerFields } from "../formats/scrape-options.ts";
import { WebhookValue } from "./webhook.ts";

/** What a batch takes beside the options of a scrape (contract § 8.1); the same in both versions. */
export const BATCH_FIELDS = {
  urls: z.array(z.string()).min(1),
  webhook: WebhookValue.optional(),
  appendToId: z.uuid().optional(),
  ignoreInvalidURLs: z.boolean().optional(),
  maxConcurrency: z.int().min(1).optional(),
  zeroDataRetention: z.boolean().optional(),
  ...CallerFields,
};
