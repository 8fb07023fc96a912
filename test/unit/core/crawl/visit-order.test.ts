import { expect, test } from "vitest";
import { urlShape, VisitOrder } from "../../../../src/core/crawl/visit-order.ts";

const at = (path: string): string => `https://example.com${path}`;

test.each([
  ["/item/1", "/item/22"],
  ["/shop/red-mug", "/shop/blue-plate"],
  ["/list?page=1", "/list?page=2"],
  ["/list?b=1&a=2", "/list?a=3&b=4"],
  ["/my-first-post/", "/another-post/"],
  ["/v1/docs/a", "/v2/docs/b"],
])("%s and %s are shaped alike", (left, right) => {
  expect(urlShape(at(left))).toBe(urlShape(at(right)));
});

test.each([
  ["/shop", "/blog"],
  ["/list", "/list?page=2"],
  ["/shop/a", "/blog/a"],
  ["/page/2", "/page/about"],
])("%s and %s are not", (left, right) => {
  expect(urlShape(at(left))).not.toBe(urlShape(at(right)));
});

test("pages of the kind that brought most come first", () => {
  const order = new VisitOrder();
  for (let number = 0; number < 30; number++) order.add(at(`/item/${number}`));
  for (let number = 0; number < 10; number++) order.add(at(`/list?page=${number}`));
  const taken: string[] = [];
  for (let visit = 0; visit < 12; visit++) {
    const url = order.take() ?? "";
    taken.push(url);
    order.learn(url, url.includes("list") ? 20 : 0);
  }
  expect(taken.filter((url) => url.includes("list"))).toHaveLength(10);
});

test("pages of a kind that brings nothing are given up, and none comes twice", () => {
  const order = new VisitOrder();
  for (let number = 0; number < 1000; number++) order.add(at(`/item/${number % 500}`));
  const taken: string[] = [];
  for (let url = order.take(); url !== undefined; url = order.take()) taken.push(url);
  expect(taken.length).toBeLessThan(40);
  expect(new Set(taken).size).toBe(taken.length);
});
