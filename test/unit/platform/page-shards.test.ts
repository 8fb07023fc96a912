import { expect, test } from "vitest";
import { pageShards } from "../../../src/platform/scrape/page-shards.ts";

test("each call of a shard that was lost on the way is made again", async () => {
  const asked: string[] = [];
  /** Every method of a stub fails at its first call. */
  const answer = (method: string) => async () => {
    asked.push(method);
    if (asked.filter((name) => name === method).length === 1) throw new Error("lost");
    // As an object of an earlier version does.
    return method === "keep" ? 8 : method;
  };
  const methods = ["keep", "findPage", "findScrape", "pagesOf"];
  const stub = Object.fromEntries(methods.map((method) => [method, answer(method)]));
  const shard = pageShards({ getByName: () => stub } as never)("team/1");
  const given = {} as never;
  expect(await shard.keep(given, given)).toEqual({ bytes: 8, replaced: [] });
  expect(await shard.findPage(given)).toBe("findPage");
  expect(await shard.findScrape(given)).toBe("findScrape");
  expect(await shard.pagesOf("a.example", given)).toBe("pagesOf");
  expect(asked).toEqual(methods.flatMap((method) => [method, method]));
});
