import { expect, test } from "vitest";
import { WebhookValue, readWebhook } from "../../../src/jobs/webhook.ts";

const URL = "https://receiver.example/hook";

test("an address alone hears of everything", () => {
  expect(readWebhook(WebhookValue.parse(URL))).toEqual({
    webhook: { url: URL, headers: {}, metadata: {} },
    events: ["started", "page", "completed"],
  });
});

test("a choice of events is kept to, and an empty one is none", () => {
  expect(readWebhook(WebhookValue.parse({ url: URL, events: ["page", "failed"] })).events).toEqual(["page"]);
  expect(readWebhook(WebhookValue.parse({ url: URL, events: [], metadata: {}, headers: {} })).events).toHaveLength(3);
});

test.each([
  { why: "no web address", value: "ftp://receiver.example" },
  { why: "an unknown event", value: { url: URL, events: ["paused"] } },
  { why: "the header of the signature", value: { url: URL, headers: { "X-Firecrawl-Signature": "x" } } },
  { why: "another header of the signature", value: { url: URL, headers: { "Webhook-Timestamp": "0" } } },
  { why: "a header with a line break", value: { url: URL, headers: { "X-Team": "a\r\nb: c" } } },
  { why: "the name of the server", value: { url: URL, headers: { Host: "other.example" } } },
  { why: "an unknown field", value: { url: URL, secret: "x" } },
])("$why is refused", ({ value }) => {
  expect(WebhookValue.safeParse(value).success).toBe(false);
});
