import { expect, test } from "vitest";
import type { Blobs, ByteRange } from "../../../../src/ports/storage/blobs.ts";
import { ResultBatch } from "../../../../src/services/crawl/run/result-batch.ts";
import { readRangesOf, streamRuns } from "../../../../src/services/jobs/read-job.ts";
import { memoryBlobs } from "../../../fakes/memory/memory-blobs.ts";
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

test("of a long range, a client that does not read has a small part in memory", async () => {
  const blobs = memoryBlobs();
  const bytes = new Uint8Array(3_000_000).map((_, index) => 32 + (index % 90));
  await blobs.put("o", bytes);
  const taken: number[] = [];
  const counted = {
    get: async () => Promise.reject(new Error("The range is read whole")),
    stream: async (key: string, range?: ByteRange) => {
      const blob = await blobs.stream(key, range);
      if (blob === undefined) return undefined;
      const reader = blob.body.getReader();
      const rest: Uint8Array[] = [];
      const body = new ReadableStream({
        type: "bytes",
        async pull(controller) {
          const next = rest.shift() ?? (await reader.read()).value;
          if (next === undefined) {
            controller.close();
            controller.byobRequest?.respond(0);
            return;
          }
          if (next.byteLength > 100_000) rest.unshift(next.subarray(100_000));
          const piece = next.slice(0, 100_000);
          taken.push(piece.byteLength);
          controller.enqueue(piece);
        },
      });
      return { ...blob, body };
    },
  };
  const documents = [
    { offset: 10, length: 2_000_000 },
    { offset: 2_500_000, length: 7 },
  ];
  const reader = (await streamRuns(counted, [{ object: "o", documents }])).getReader();
  const pieces = [(await reader.read()).value ?? new Uint8Array()];
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(taken.reduce((sum, size) => sum + size, 0)).toBeLessThan(400_000);
  for (let read = await reader.read(); !read.done; read = await reader.read()) pieces.push(read.value);
  const expected = [bytes.slice(10, 2_000_010), new TextEncoder().encode(","), bytes.slice(2_500_000, 2_500_007)];
  expect(Buffer.concat(pieces).equals(Buffer.concat(expected))).toBe(true);
  expect(Math.max(...pieces.map(({ byteLength }) => byteLength))).toBeLessThan(260_000);
});

test("nothing is read before it is asked for, where the reader waits", async () => {
  let reads = 0;
  const get = async () => (reads++, undefined);
  const documents = [{ offset: 0, length: 10, kept: { metadata: {} } as never }];
  const stream = await streamRuns({ get, stream: get }, [{ object: "o", documents }], { isLazy: true });
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(reads).toBe(0);
  await expect(stream.getReader().read()).rejects.toThrow("no longer stored");
});

test("a client that leaves ends the reading of the object", async () => {
  let isCancelled = false;
  const body = new ReadableStream({
    type: "bytes",
    pull: (controller) => controller.enqueue(new Uint8Array(1_000)),
    cancel: () => void (isCancelled = true),
  });
  const stream = async () => ({ body, size: 1_000_000, contentType: undefined, metadata: {} });
  const documents = [{ offset: 0, length: 1_000_000 }];
  const reader = (await streamRuns({ get: async () => undefined, stream }, [{ object: "o", documents }])).getReader();
  await reader.read();
  await reader.cancel();
  expect(isCancelled).toBe(true);
});

test("a range whose object is gone fails: the first one before anything is read", async () => {
  const blobs = memoryBlobs();
  const gone = { object: "o", documents: [{ offset: 0, length: 10 }] };
  await expect(streamRuns(blobs, [gone])).rejects.toMatchObject({ code: "JOB_NOT_FOUND" });
  await blobs.put("there", "0123456789");
  const text = new Response(await streamRuns(blobs, [{ ...gone, object: "there" }, gone])).text();
  await expect(text).rejects.toThrow("no longer stored");
});
