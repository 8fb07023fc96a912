/** What a run keeps of the links of an earlier job is bounded by their characters, too. */
import { expect, test } from "vitest";
import type { EarlierPage } from "../../../../src/core/crawl/page-version.ts";
import { EarlierPages } from "../../../../src/services/crawl/earlier-pages.ts";
import { packLinks } from "../../../../src/services/crawl/stored-links.ts";

test("the links of very large pages are read again, and not all kept", async () => {
  const links = Array.from({ length: 9_000 }, (_, at) => `https://site.example/${"long-".repeat(200)}${at}`);
  const bytes = await packLinks([{ links, chunks: [] }]);
  const reads: string[] = [];
  const blobs = {
    get: async (object: string) => {
      reads.push(object);
      return { bytes, size: bytes.byteLength } as never;
    },
  };
  const earlier = new EarlierPages({ frontiers: { versions: async () => [] }, blobs }, "job");
  const linksOf = async (object: string): Promise<number | undefined> => {
    const page = { links: { object, offset: 0, length: bytes.byteLength, index: 0 } } as EarlierPage;
    return (await earlier.open(page).links())?.links.length;
  };
  for (const object of ["a", "a", "b", "b", "a"]) expect(await linksOf(object)).toBe(9_000);
  // Nine million characters each: the limit of all is 16 million.
  expect(reads).toEqual(["a", "b", "a"]);
});
