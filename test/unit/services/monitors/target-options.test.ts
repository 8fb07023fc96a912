/** The pages of a crawl target see the caller's headers as long as they are of its site. */
import { expect, test } from "vitest";
import type { MonitorTarget } from "../../../../src/core/monitors/monitor.ts";
import { optionsOfPage, type ReadTarget } from "../../../../src/services/monitors/target-options.ts";

const scrapeOptions = { headers: { Authorization: "Bearer secret", "Accept-Language": "fi" } };

test.each([
  { type: "crawl", url: "https://docs.a.example/1", isOwn: true },
  { type: "crawl", url: "https://b.example/1", isOwn: false },
  { type: "crawl", url: "http://a.example/1", isOwn: false },
  { type: "scrape", url: "https://b.example/1", isOwn: true },
])("a page of a target of type $type at $url receives its headers: $isOwn", ({ type, url, isOwn }) => {
  const own = type === "crawl" ? { url: "https://a.example" } : { urls: [url] };
  const target = { id: "t", type, ...own, scrapeOptions } as unknown as MonitorTarget as ReadTarget;
  const names = Object.keys(optionsOfPage(target, url).headers ?? {});
  expect(names).toEqual(isOwn ? ["Authorization", "Accept-Language"] : ["Accept-Language"]);
});
