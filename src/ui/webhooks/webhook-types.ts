/** The fields of webhook deliveries that the view shows (`WebhookDelivery` and `WebhookExchange` of the API). */
export interface Delivery {
  id: string;
  webhookId: string;
  jobId: string | null;
  type: string;
  url: string;
  attempt: number;
  outcome: "delivered" | "failed" | "refused";
  statusCode: number | null;
  error: string | null;
  durationMs: number;
  sentAt: string;
  canReplay: boolean;
}

export interface Exchange extends Delivery {
  request: { headers: Record<string, string>; body: string };
  response: { contentType: string | null; body: string } | null;
}

export interface Endpoint {
  url: string;
  deliveries: number;
  failed: number;
  lastSentAt: string;
  lastDeliveryId: string;
}

export const OUTCOME_WORDS = {
  delivered: ["Delivered", "good"],
  failed: ["Failed", "bad"],
  refused: ["Refused", "bad"],
} as const;

/** Returns headers as lines of text. */
export function headerLines(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
}

/** Returns JSON with indentation, and any other text unchanged. */
export function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
