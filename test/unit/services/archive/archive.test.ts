import { unzipSync } from "fflate";
import { WARCParser } from "warcio";
import { beforeEach, describe, expect, test } from "vitest";
import type { LoadedPage } from "../../../../src/core/scrape/page.ts";
import { archivePage, loadArchived } from "../../../../src/services/archive/page-archive.ts";
import { planReextract } from "../../../../src/services/archive/reextract-job.ts";
import { listArchive, writeWacz } from "../../../../src/services/archive/write-wacz.ts";
import { memoryBlobs } from "../../../fakes/memory/memory-blobs.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

const JOB = { id: "0198a1b2-0000-7000-8000-000000000001", createdAtMs: Date.parse("2026-06-15T10:00:00Z") };
const clock = { now: () => Date.parse("2026-06-15T10:00:05Z") };

function page(url: string, more: Partial<LoadedPage> = {}): LoadedPage {
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "content-encoding": "gzip",
    "x-tide": "high",
    "set-cookie": "sid=a\nb=c",
  };
  const body = new TextEncoder().encode(`<title>${url}</title><p>Flut & Ebbe – ${url}`);
  return {
    engine: "fetch",
    url,
    statusCode: 200,
    headers,
    contentType: "text/html; charset=utf-8",
    body,
    warnings: [],
    ...more,
  };
}

let blobs: ReturnType<typeof memoryBlobs>;
const archive = (itemUrl: string, loaded = page(itemUrl)) =>
  archivePage({ blobs, clock }, JOB, { itemUrl, page: loaded });
const waczOf = async (part = 1): Promise<Record<string, Uint8Array>> => {
  const stream = writeWacz({ blobs, clock }, await listArchive({ blobs }, JOB, part));
  return unzipSync(new Uint8Array(await new Response(stream).arrayBuffer()));
};
const textOf = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes);

beforeEach(async () => {
  blobs = memoryBlobs();
  await archive("https://b.example/two?x=1");
  await archive("http://a.example/one", page("https://a.example/final", { statusCode: 404 }));
  await archive("https://c.example/app", page("https://c.example/app", { engine: "browser", body: "<p>Rendered ✓" }));
});

describe("an archive", () => {
  test("returns pages as they were loaded, without the coding of their transfer", async () => {
    const first = await loadArchived({ blobs }, JOB, "https://b.example/two?x=1");
    const { body, headers } = page("https://b.example/two?x=1");
    expect(first).toMatchObject({ url: "https://b.example/two?x=1", statusCode: 200, body, cachedAtMs: clock.now() });
    expect(first.headers).toEqual({
      "content-type": headers["content-type"],
      "x-tide": "high",
      "content-length": String((body as Uint8Array).byteLength),
    });
    const moved = await loadArchived({ blobs }, JOB, "http://a.example/one");
    expect(moved).toMatchObject({ url: "https://a.example/final", statusCode: 404 });
    expect((await loadArchived({ blobs }, JOB, "https://c.example/app")).body).toBe("<p>Rendered ✓");
    await expect(loadArchived({ blobs }, JOB, "https://d.example/")).rejects.toMatchObject({
      code: "SCRAPE_NO_CACHED_DATA",
    });
  });

  test("is in the folder of the job's results, which is deleted with them", () => {
    for (const key of blobs.objects.keys()) expect(key).toMatch(`results/2026-06-15/${JOB.id}/archive/`);
  });

  test("holds a page once that is loaded twice", async () => {
    await archive("https://b.example/two?x=1");
    expect(blobs.objects.size).toBe(3);
  });
});

describe("a WACZ file", () => {
  test("has WARC records that warcio reads, at the places of its index", async () => {
    const files = await waczOf();
    expect(Object.keys(files).toSorted()).toEqual([
      "archive/data.warc.gz",
      "datapackage.json",
      "indexes/index.cdx",
      "pages/pages.jsonl",
    ]);
    const warc = files["archive/data.warc.gz"] ?? new Uint8Array();
    const read: unknown[] = [];
    for await (const record of new WARCParser(new Response(warc as BodyInit).body as never)) {
      const text = await record.contentText();
      read.push([record.warcType, record.warcTargetURI, record.httpHeaders?.statusCode, text]);
    }
    expect(read).toHaveLength(3);
    expect(read).toContainEqual(["response", "https://a.example/final", 404, expect.stringContaining("Flut & Ebbe –")]);
    expect(read).toContainEqual(["response", "https://c.example/app", 200, "<p>Rendered ✓"]);

    const lines = textOf(files["indexes/index.cdx"]).trimEnd().split("\n");
    expect(lines).toEqual(lines.toSorted());
    expect(lines.map((line) => line.split(" ").slice(0, 2))).toEqual([
      ["example,a)/final", "20260615100005"],
      ["example,b)/two?x=1", "20260615100005"],
      ["example,c)/app", "20260615100005"],
    ]);
    for (const line of lines) {
      const { url, offset, length, digest, filename } = JSON.parse(line.slice(line.indexOf("{"))) as Record<
        string,
        string
      >;
      expect(filename).toBe("data.warc.gz");
      const one = warc.slice(Number(offset), Number(offset) + Number(length));
      for await (const record of new WARCParser(new Response(one as BodyInit).body as never)) {
        expect(record.warcTargetURI).toBe(url);
        expect(record.warcPayloadDigest).toBe(digest);
      }
    }
  });

  test("describes its files with their digests, and lists its pages", async () => {
    const files = await waczOf();
    const { resources } = JSON.parse(textOf(files["datapackage.json"])) as {
      resources: { path: string; hash: string; bytes: number }[];
    };
    expect(resources).toHaveLength(3);
    for (const { path, hash, bytes } of resources) {
      const file = files[path] ?? new Uint8Array();
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", file as BufferSource));
      expect({ bytes, hash }).toEqual({
        bytes: file.byteLength,
        hash: `sha256:${Buffer.from(digest).toString("hex")}`,
      });
    }
    const [head, ...pages] = textOf(files["pages/pages.jsonl"])
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    expect(head).toMatchObject({ format: "json-pages-1.0" });
    expect(pages).toContainEqual(
      expect.objectContaining({ url: "https://a.example/final", ts: "2026-06-15T10:00:05.000Z" }),
    );
  });

  test("has each page in one part, also where the storage lists fewer than were asked for", async () => {
    const all = Array.from({ length: 10_050 }, (_, number) => String(number).padStart(5, "0"));
    const short: typeof blobs = {
      ...blobs,
      list: async (_prefix, { after, limit }) => {
        const start = after === undefined ? 0 : Number(after) + 1;
        const keys = all.slice(start, start + Math.min(limit, 700));
        return { objects: keys.map((key) => ({ key, writtenAtMs: 0 })), hasMore: start + keys.length < all.length };
      },
    };
    const parts = await Promise.all([1, 2, 3].map((part) => listArchive({ blobs: short }, JOB, part)));
    expect(parts.map(({ keys, hasMore }) => [keys.length, hasMore])).toEqual([
      [5_000, true],
      [5_000, true],
      [50, false],
    ]);
    expect(parts.flatMap(({ keys }) => keys)).toEqual(all);
  });

  test("is read in small pieces, as the client reads them, and no further when it leaves", async () => {
    const body = crypto.getRandomValues(new Uint8Array(60_000));
    await archive("https://a.example/0", page("https://a.example/0", { body: Buffer.concat(Array(20).fill(body)) }));
    let [read, cancelled] = [0, 0];
    const { stream } = blobs;
    blobs.stream = async (key) => {
      const blob = await stream(key);
      const reader = blob?.body.getReader({ mode: "byob" });
      const counted = new ReadableStream({
        type: "bytes",
        async pull(controller) {
          const next = await reader?.read(new Uint8Array(8_192));
          if (next?.value === undefined || next.done) {
            controller.close();
            controller.byobRequest?.respond(0);
            return;
          }
          read += next.value.byteLength;
          controller.enqueue(next.value);
        },
        cancel: () => void cancelled++,
      });
      return blob && { ...blob, body: counted };
    };
    const reader = writeWacz({ blobs, clock }, await listArchive({ blobs }, JOB, 1)).getReader();
    const sizes: number[] = [];
    for (let at = 0; at < 6; at++) sizes.push((await reader.read()).value?.byteLength ?? 0);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(65_536);
    expect(read).toBeLessThan(100_000);
    await reader.cancel();
    expect(cancelled).toBeGreaterThan(0);
    const whole = unzipSync(
      new Uint8Array(
        await new Response(writeWacz({ blobs, clock }, await listArchive({ blobs }, JOB, 1))).arrayBuffer(),
      ),
    );
    const warc = whole["archive/data.warc.gz"] ?? new Uint8Array();
    let found = 0;
    for await (const record of new WARCParser(new Response(warc as BodyInit).body as never)) {
      const content = await record.readFully(false);
      if (record.warcTargetURI === "https://a.example/0") found = content.byteLength;
    }
    expect(found).toBe(1_200_000);
  });

  test("is missing for a job without an archive, and beyond its last part", async () => {
    await expect(listArchive({ blobs }, { ...JOB, id: "other" }, 1)).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(listArchive({ blobs }, JOB, 2)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

test.each([
  [{ formats: ["screenshot"] }, "screenshot"],
  [{ formats: ["markdown", "branding"] }, "branding"],
  [{ actions: [{ type: "scrape" }] }, "actions"],
  [{ waitFor: 5 }, "waitFor"],
  [{ headers: { cookie: "a=b" } }, "headers"],
  [{ mobile: true }, "mobile"],
  [{ maxAge: 5_000 }, "maxAge"],
])("an archive cannot serve %j", async (options, named) => {
  const { ScrapeOptions } = await import("../../../../src/formats/scrape-options.ts");
  const planned = planReextract(testDeps({ blobs }), {} as never, {
    id: JOB.id,
    options: ScrapeOptions.parse(options),
  });
  await expect(planned).rejects.toMatchObject({ code: "BAD_REQUEST", message: expect.stringContaining(named) });
});

test("the facts of a page are read without its record, also behind a long URL", async () => {
  const { readFacts } = await import("../../../../src/services/archive/page-archive.ts");
  const long = `https://b.example/${"x".repeat(20_000)}`;
  await archive(long);
  const asked: (number | undefined)[] = [];
  const counting: typeof blobs = { ...blobs, get: (key, range) => (asked.push(range?.length), blobs.get(key, range)) };
  const read = await Promise.all([...blobs.objects.keys()].map((key) => readFacts({ blobs: counting }, key)));
  expect(read.map((facts) => facts?.itemUrl).toSorted()).toEqual(
    ["http://a.example/one", "https://b.example/two?x=1", long, "https://c.example/app"].toSorted(),
  );
  expect(
    asked.filter((length) => length === undefined),
    "one object is read as a whole",
  ).toHaveLength(1);
  expect(await readFacts({ blobs }, "missing")).toBeUndefined();
});

test("the text of an archived scan is recognised", async () => {
  const { openArchived } = await import("../../../../src/services/archive/open-archived.ts");
  const { picturePdf } = await import("../../../site/picture-pdf.ts");
  const picture = { bytes: new Uint8Array(100), filter: "JBIG2Decode", width: 2480, height: 3508 } as const;
  const itemUrl = "https://a.example/scan.pdf";
  await archive(
    itemUrl,
    page(itemUrl, { body: picturePdf([{ picture }]), contentType: "application/pdf", headers: {} }),
  );
  const asked: unknown[] = [];
  const ocr = { languages: [], recognise: async (file: object) => (asked.push(file), { pages: [] }) };
  const deps = { blobs, clock, conversions: { admit: async () => undefined }, ocr } as never;
  const clean = { onlyMainContent: true, includeTags: [], excludeTags: [] };
  const plan = { open: { clean, pdf: { mode: "auto" }, bytesOnly: false } } as never;
  const owner = { teamId: "team" } as never;
  await openArchived(deps, plan, { from: JOB, itemUrl, owner, deadlineMs: 60_000 });
  expect(asked).toMatchObject([{ kind: "pdf", pages: [1], owner, deadlineMs: 57_000 }]);
});
