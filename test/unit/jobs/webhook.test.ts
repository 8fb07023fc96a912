import { expect, test } from "vitest";
import { BatchWebhook, CrawlWebhook, readWebhook, webhookValue } from "../../../src/jobs/webhook.ts";

const URL = "https://receiver.example/hook";

test("an address alone hears of everything", () => {
  expect(readWebhook(CrawlWebhook.parse(URL))).toEqual({
    webhook: { url: URL, headers: {}, metadata: {} },
    events: ["started", "page", "completed"],
  });
});

test("a choice of events is kept to, and an empty one is none", () => {
  expect(readWebhook(CrawlWebhook.parse({ url: URL, events: ["page", "failed"] })).events).toEqual(["page"]);
  expect(readWebhook(CrawlWebhook.parse({ url: URL, events: [], metadata: {}, headers: {} })).events).toHaveLength(3);
});

test.each([
  { schema: CrawlWebhook, events: ["crawl.page", "crawl.page.removed"], read: ["page", "page.removed"] },
  { schema: BatchWebhook, events: ["batch_scrape.page.failed", "page"], read: ["page.failed", "page"] },
  { schema: webhookValue("agent", ["action"]), events: ["agent.action"], read: ["action"] },
])("the full names $events are read as $read", ({ schema, events, read }) => {
  expect(schema.parse({ url: URL, events })).toEqual({ url: URL, events: read });
});

test.each([
  { why: "no web address", value: "ftp://receiver.example" },
  { why: "an unknown event", value: { url: URL, events: ["paused"] } },
  { why: "an unknown event of the job", value: { url: URL, events: ["crawl.paused"] } },
  { why: "an event of another kind of job", value: { url: URL, events: ["agent.completed"] } },
  { why: "the header of the signature", value: { url: URL, headers: { "X-Firecrawl-Signature": "x" } } },
  { why: "another header of the signature", value: { url: URL, headers: { "Webhook-Timestamp": "0" } } },
  { why: "a header with a line break", value: { url: URL, headers: { "X-Team": "a\r\nb: c" } } },
  { why: "the name of the server", value: { url: URL, headers: { Host: "other.example" } } },
  { why: "an unknown field", value: { url: URL, secret: "x" } },
])("$why is refused", ({ value }) => {
  expect(CrawlWebhook.safeParse(value).success).toBe(false);
});
