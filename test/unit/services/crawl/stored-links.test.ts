/** The links of a batch's pages are stored in one form, however many they are. */
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { packLinks, unpackLinks } from "../../../../src/services/crawl/stored-links.ts";

const few = [
  { links: [], chunks: [] },
  { links: ['https://site.example/ä"\\', "https://site.example/b"], chunks: ["1", "2"] },
];

test("links are stored as JSON, and read again", async () => {
  const packed = await packLinks(few);
  expect(JSON.parse(gunzipSync(packed).toString())).toEqual(few);
  expect(unpackLinks(packed)).toEqual(few);
  expect(unpackLinks(await packLinks([]))).toEqual([]);
});

test("other requests run while very many links are packed", async () => {
  const links = Array.from({ length: 1_500 }, (_, index) => `https://site.example/${index}/${"é".repeat(2_000)}`);
  const pages = [{ links, chunks: ["1"] }, ...few];
  let turns = 0;
  const others = setInterval(() => turns++, 0);
  const packed = await packLinks(pages);
  clearInterval(others);
  expect(unpackLinks(packed)).toEqual(pages);
  expect(turns).toBeGreaterThan(3);
});
