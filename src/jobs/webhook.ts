import { z } from "zod";
import type { JobEvent } from "../core/frontier.ts";
import type { Webhook } from "./kind.ts";

const SIGNATURE_HEADER = "x-firecrawl-signature";
const EVENTS: readonly JobEvent[] = ["started", "page", "completed"];

/** Where a job's events go (contract § 5.7): an address, or one with headers, metadata and a choice of events. */
export const WebhookValue = z.union([
  z.url({ protocol: /^https?$/ }),
  z.strictObject({
    url: z.url({ protocol: /^https?$/ }),
    headers: z
      .record(z.string(), z.string())
      .refine((headers) => !Object.keys(headers).some((label) => label.toLowerCase() === SIGNATURE_HEADER), {
        message: `The following headers are not allowed: ${SIGNATURE_HEADER}`,
      })
      .optional(),
    metadata: z.record(z.string(), z.string()).optional(),
    events: z.array(z.enum(["completed", "failed", "page", "started"])).optional(),
  }),
]);
export type WebhookValue = z.infer<typeof WebhookValue>;

/** Without a choice, or with an empty one, every event is sent. `failed` may be chosen; no job of pages sends it. */
export function readWebhook(value: WebhookValue | undefined): {
  webhook: Webhook | undefined;
  events: readonly JobEvent[];
} {
  if (value === undefined) return { webhook: undefined, events: [] };
  if (typeof value === "string") return { webhook: { url: value, headers: {}, metadata: {} }, events: EVENTS };
  const { url, headers = {}, metadata = {}, events = [] } = value;
  const chosen = events.length === 0 ? EVENTS : EVENTS.filter((event) => events.includes(event));
  return { webhook: { url, headers, metadata }, events: chosen };
}
