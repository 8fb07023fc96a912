import fc from "fast-check";
import { isShort } from "../../../sample.ts";
import { expect, test } from "vitest";
import { leastProcessorMs } from "../../../processor-time.ts";
import { rankUrls, type RankedPage } from "../../../../src/core/crawl/rank-urls.ts";

const page = (path: string, known: Partial<RankedPage> = {}): RankedPage => ({
  url: `https://example.com${path}`,
  ...known,
});
const first = (query: string, pages: RankedPage[]): string | undefined => rankUrls(query, pages)[0]?.url.slice(19);

test.each<[why: string, query: string, pages: RankedPage[], best: string]>([
  [
    "words of the path",
    "install guide",
    [page("/about"), page("/docs/install"), page("/docs/install-guide")],
    "/docs/install-guide",
  ],
  ["words of the title", "pricing", [page("/a"), page("/b", { title: "Pricing" })], "/b"],
  ["words of links", "harbour", [page("/1"), page("/2", { linkText: "The harbour" })], "/2"],
  [
    "rare words over common ones",
    "docs webhooks",
    [page("/docs/a"), page("/docs/b"), page("/webhooks"), page("/docs/c")],
    "/webhooks",
  ],
  ["a title over a description", "tides", [page("/a", { description: "Tides" }), page("/b", { title: "Tides" })], "/b"],
  ["other numbers of a word", "product", [page("/a"), page("/products")], "/products"],
  ["the beginning of a longer word", "config", [page("/a"), page("/configuration")], "/configuration"],
  ["words that are encoded in the URL", "Käse", [page("/a"), page("/k%C3%A4se")], "/k%C3%A4se"],
  ["words of scripts without spaces", "价格", [page("/a"), page("/b", { title: "产品价格列表" })], "/b"],
  [
    "such words in the URL",
    "価格",
    [page("/a"), page(`/${encodeURIComponent("製品価格")}`)],
    "/%E8%A3%BD%E5%93%81%E4%BE%A1%E6%A0%BC",
  ],
  ["words without their accents", "creme brulee", [page("/a"), page("/b", { title: "Crème brûlée" })], "/b"],
  ["short pages over long ones", "bell", [page("/a/bell/of/the/old/foundry/in/town"), page("/bell")], "/bell"],
])("a search finds %s", (_why, query, pages, best) => {
  expect(first(query, pages)).toBe(best);
});

test("nothing is left out, and what does not match keeps its order", () => {
  const pages = fc.array(fc.record({ url: fc.webUrl(), title: fc.option(fc.string(), { nil: undefined }) }), {
    maxLength: 30,
  });
  fc.assert(
    fc.property(fc.string(), pages, (query, given) => {
      const ranked = rankUrls(query, given);
      expect(new Set(ranked)).toEqual(new Set(given));
      expect(ranked).toHaveLength(given.length);
      expect(
        rankUrls(
          "zqxjkv",
          given.filter(({ url, title = "" }) => !`${url}${title}`.toLowerCase().includes("zqx")),
        ),
      ).toEqual(given.filter(({ url, title = "" }) => !`${url}${title}`.toLowerCase().includes("zqx")));
    }),
    { numRuns: isShort() ? 30 : 100 },
  );
});

test("a search of a thousand words takes the time of a few", async () => {
  const pages = Array.from({ length: 2_000 }, (_, at) => page(`/${at}/river/stone/market/winter/orchard/annual`));
  const words = (count: number): string => Array.from({ length: count }, (_, at) => `word${at}`).join(" ");
  const few = await leastProcessorMs(() => rankUrls(words(3), pages), 0);
  // Each word of a page was compared with each of the search: a hundred times as long.
  expect(await leastProcessorMs(() => rankUrls(words(1_000), pages), few * 15)).toBeLessThan(few * 15);
});
