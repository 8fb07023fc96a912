import { expect, test } from "vitest";
import { createR2Blobs } from "../../../src/platform/r2-blobs.ts";

/** A bucket whose first lists are cut and have no object yet; `asked` has the options of each list. */
function bucketOf({ emptyLists }: { emptyLists: number }) {
  const asked: R2ListOptions[] = [];
  const deleted: string[][] = [];
  const bucket = {
    async list(options: R2ListOptions) {
      asked.push(options);
      if (asked.length <= emptyLists) return { objects: [], truncated: true, cursor: `cursor ${asked.length}` };
      return { objects: [{ key: "a/1", uploaded: new Date(5) }], truncated: false };
    },
    delete: async (keys: string[]) => void deleted.push(keys),
  };
  return { asked, deleted, blobs: createR2Blobs(bucket as unknown as R2Bucket) };
}

test("a list that is cut before its first object is continued by its cursor", async () => {
  const { blobs, asked } = bucketOf({ emptyLists: 2 });
  const found = await blobs.list("a/", { after: "a/0", limit: 7 });
  expect(found).toEqual({ objects: [{ key: "a/1", writtenAtMs: 5 }], hasMore: false });
  expect(asked).toEqual([
    { prefix: "a/", limit: 7, startAfter: "a/0" },
    { prefix: "a/", limit: 7, cursor: "cursor 1" },
    { prefix: "a/", limit: 7, cursor: "cursor 2" },
  ]);
});

test("objects behind such a list are deleted", async () => {
  const { blobs, deleted } = bucketOf({ emptyLists: 1 });
  expect(await blobs.deletePrefix("a/")).toBe(false);
  expect(deleted).toEqual([["a/1"]]);
});

test("lists without an object do not go on for ever", async () => {
  const { blobs, asked } = bucketOf({ emptyLists: Infinity });
  await expect(blobs.list("a/", { after: undefined, limit: 7 })).rejects.toThrow("R2 lists no objects under a/");
  expect(asked).toHaveLength(10);
});
