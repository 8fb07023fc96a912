import { expect, test } from "vitest";
import { fuseHits } from "../../../src/search/fuse.ts";
import type { SearchSource } from "../../../src/search/provider.ts";

const PICTURES = ["https://p.example/1.jpg", "https://p.example/1.jpg", "/2.jpg", "data:image/png;base64,AA"];

test.each<{ source: SearchSource; kept: number[] }>([
  { source: "news", kept: [0, 1, 2, 3] },
  { source: "images", kept: [0] },
])("of $source, the hits $kept of pages with these pictures are kept", ({ source, kept }) => {
  const hits = PICTURES.map((imageUrl, index) => {
    return { url: `https://news.example/${index}`, title: "", description: "", imageUrl };
  });
  const fused = fuseHits(source, [{ provider: "gdelt", hits }]);
  expect(fused.map(({ url }) => url)).toEqual(kept.map((index) => `https://news.example/${index}`));
});
