import { expect, test } from "vitest";
import { findSections, type DocEntry } from "../../../src/ui/docs/find-sections.ts";

const entry = (name: string, heading: string, text: string): DocEntry => ({
  name,
  title: name,
  heading,
  anchor: heading.toLowerCase(),
  text,
});
const ENTRIES = [
  entry("crawl", "Options", "A limit of pages, and a delay."),
  entry("limits", "Requests", "Requests a minute. The delay is at most sixty seconds."),
  entry("scrape", "Formats", `${"word ".repeat(100)}needle ${"word ".repeat(100)}`),
];

test("finds sections that have every word, whatever its case", () => {
  const names = (query: string) => findSections(ENTRIES, query).map((found) => found.entry.name);
  expect(names("DELAY pages")).toEqual(["crawl"]);
  expect(names("delay nothing")).toEqual([]);
  expect(names("  ")).toEqual([]);
});

test("titles and headings count more than text", () => {
  const [first, second] = findSections(ENTRIES, "limit");
  expect([first?.entry.name, second?.entry.name]).toEqual(["limits", "crawl"]);
});

test("shows the passage around the word", () => {
  const excerpt = findSections(ENTRIES, "needle")[0]?.excerpt ?? "";
  expect(excerpt).toContain("needle");
  expect(excerpt.length).toBeLessThan(200);
  expect(excerpt.startsWith("…") && excerpt.endsWith("…")).toBe(true);
});
