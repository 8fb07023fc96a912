import { expect, test } from "vitest";
import type { Blobs } from "../../../../src/ports/storage/blobs.ts";
import { ResultBatch } from "../../../../src/services/crawl/run/result-batch.ts";
import { readRangesOf } from "../../../../src/services/jobs/read-job.ts";
import type { ItemOutcome } from "../../../../src/services/crawl/item-task.ts";

const NOTHING = { candidates: [], filtered: [] };

function outcome(key: string, document: object): ItemOutcome {
  const result = { key, attempt: 1, kind: "scraped", offset: 0, length: 0, scrapeId: key, credits: 1 } as const;
  return {
    url: `http://a.example/${key}`,
    result,
    json: JSON.stringify(document),
    discoveries: NOTHING,
    credits: 1,
  };
}

test("documents are packed so that any stretch of them is part of a JSON list", async () => {
  const stored = new Map<string, string>();
  const blobs: Pick<Blobs, "put"> = {
    put: async (key, body) => void stored.set(key, typeof body === "string" ? body : new TextDecoder().decode(body)),
  };
  const batch = new ResultBatch({ id: "job", createdAtMs: Date.UTC(2026, 0, 2) }, "part");
  const documents = [{ markdown: "käse 🧀" }, { markdown: "b" }, { markdown: "c" }];
  const places = documents.map((document, index) => {
    const result = batch.place(outcome(String(index), document));
    if (result.kind !== "scraped") throw new Error("It was scraped");
    return { offset: result.offset, length: result.length };
  });
  await batch.write(blobs);
  expect(batch.object).toBe("results/2026-01-02/job/part");
  const text = stored.get(batch.object) ?? "";
  expect(JSON.parse(`[${text}]`)).toEqual(documents);
  expect(readRangesOf([{ object: "o", documents: places }])).toEqual([
    { object: "o", offset: 0, length: new TextEncoder().encode(text).byteLength },
  ]);
});

test("a document that does not count leaves a hole between stretches", () => {
  const documents = [
    { offset: 0, length: 4 },
    { offset: 10, length: 4 },
    { offset: 15, length: 2 },
  ];
  expect(readRangesOf([{ object: "o", documents }])).toEqual([
    { object: "o", offset: 0, length: 4 },
    { object: "o", offset: 10, length: 7 },
  ]);
});

test("what has no document takes no place", () => {
  const batch = new ResultBatch({ id: "job", createdAtMs: 0 }, "part");
  const failed = {
    key: "k",
    attempt: 1,
    kind: "failed",
    code: "SCRAPE_TIMEOUT",
    error: "late",
    retryable: true,
  } as const;
  expect(batch.place({ url: "http://a.example/", result: failed, discoveries: NOTHING, credits: 0 })).toBe(failed);
});
