import { describe, expect, test } from "vitest";
import { readOffsets, readParts } from "../../../src/ui/api/read-parts.ts";

const ITEMS = Array.from({ length: 250 }, (_, at) => at);

describe("a list in parts", () => {
  const read = async (path: string) => {
    const at = Number(path);
    const items = ITEMS.slice(at, at + 100);
    return { items, next: at + 100 < ITEMS.length ? String(at + 100) : undefined };
  };

  test.each([
    { count: 25, read: 100, hasMore: true },
    { count: 101, read: 200, hasMore: true },
    { count: 1_000, read: 250, hasMore: false },
  ])("is read until it has $count items or ends", async ({ count, read: length, hasMore }) => {
    expect(await readParts("0", count, read)).toEqual({ items: ITEMS.slice(0, length), hasMore });
  });

  test("ends at an empty part, also if that names a next one", async () => {
    const empty = async () => ({ items: [], next: "again" });
    expect(await readParts("first", 10, empty)).toEqual({ items: [], hasMore: false });
  });
});

test("a list with offsets is read from where the part before has ended", async () => {
  const paths: string[] = [];
  const read = async (path: string): Promise<number[]> => {
    paths.push(path);
    const query = new URLSearchParams(path.split("?")[1]);
    const offset = Number(query.get("offset"));
    return ITEMS.slice(offset, offset + Number(query.get("limit")));
  };
  expect(await readOffsets("/list", { count: 120, limit: 100 }, read)).toEqual({
    items: ITEMS.slice(0, 200),
    hasMore: true,
  });
  expect(paths).toEqual(["/list?limit=100&offset=0", "/list?limit=100&offset=100"]);
  expect(await readOffsets("/list", { count: 300, limit: 100 }, read)).toEqual({ items: ITEMS, hasMore: false });
});
