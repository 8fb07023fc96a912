import { describe, expect, test } from "vitest";
import { bodyPieces } from "../../../src/core/streams/body-pieces.ts";
import { readBody } from "../../../src/platform/outbound/read-body.ts";

const PIECES = Array.from({ length: 41 }, (_, index) => new Uint8Array(10_007).fill(index));
const ALL = await new Blob(PIECES).bytes();

/** A stream of the runtime's own, as a fetched body is one. */
function ownStream(pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  const { readable, writable } = new IdentityTransformStream();
  const writer = writable.getWriter();
  const write = async (): Promise<void> => {
    for (const piece of pieces) await writer.write(piece);
    await writer.close();
  };
  write().catch(() => undefined);
  return readable;
}

function scriptStream(pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
}

const packed = (): ReadableStream<Uint8Array> => ownStream(PIECES).pipeThrough(new CompressionStream("deflate"));
const forever = new AbortController().signal;

describe("in workerd, a body of unknown length", () => {
  test.each([
    { why: "from the runtime", body: () => ownStream(PIECES), encoding: "identity" },
    { why: "from a script", body: () => scriptStream(PIECES), encoding: "identity" },
    { why: "that is to be unpacked", body: packed, encoding: "deflate" },
  ])("$why comes whole", async ({ body, encoding }) => {
    const headers = { "content-encoding": encoding };
    const bytes = await readBody(new Response(body(), { headers, encodeBody: "manual" }), 1_000_000, forever);
    expect(bytes).toEqual(ALL);
  });

  test.each(["x-gzip", "GZIP", "Gzip", "x-gzip, identity", "aws-chunked,gzip"])(
    "that is packed as %s, which the runtime does not unpack, comes whole",
    async (encoding) => {
      const bytes = await new Response(ownStream(PIECES).pipeThrough(new CompressionStream("gzip"))).bytes();
      const headers = { "content-encoding": encoding, "content-length": String(bytes.byteLength) };
      const response = new Response(ownStream([bytes]), { headers, encodeBody: "manual" });
      expect(await readBody(response, 1_000_000, forever)).toEqual(ALL);
    },
  );

  test.each(["utf-8", "none", "aws-chunked"])("that says it is packed as %s is taken as it is", async (encoding) => {
    const headers = { "content-encoding": encoding };
    const response = new Response(ownStream(PIECES), { headers, encodeBody: "manual" });
    expect(await readBody(response, 1_000_000, forever)).toEqual(ALL);
  });

  test("that comes byte by byte is read in pieces of 8 kB after its beginning", async () => {
    const bytes = Array.from({ length: 40_003 }, (_, at) => new Uint8Array([at % 251]));
    const body = bodyPieces(ownStream(bytes));
    const read: Uint8Array[] = [];
    for (let piece = await body.next(); piece !== undefined; piece = await body.next()) read.push(piece);
    expect(read.slice(0, 64).every((piece) => piece.length === 1)).toBe(true);
    expect(read.slice(64, -1).every((piece) => piece.length >= 8_192)).toBe(true);
    expect(read.length).toBeLessThan(70);
    expect(await new Blob(read).bytes()).toEqual(await new Blob(bytes).bytes());
  });

  test("that comes byte by byte lets other events of the isolate run while it is read", async () => {
    let events = 0;
    const count = setInterval(() => events++, 0);
    const bytes = Array.from({ length: 20_000 }, () => new Uint8Array(1));
    const body = await readBody(new Response(scriptStream(bytes)), 1e6, forever);
    clearInterval(count);
    expect(body).toHaveLength(20_000);
    expect(events).toBeGreaterThan(100);
  });

  test("that ends at once is empty", async () => {
    expect(await readBody(new Response(ownStream([])), 1000, forever)).toHaveLength(0);
  });

  test("that is large lets other events of the isolate run while it is read", async () => {
    let events = 0;
    const count = setInterval(() => events++, 0);
    const megabyte = new Uint8Array(1_000_000);
    const body = await readBody(new Response(scriptStream(Array.from({ length: 20 }, () => megabyte))), 2e7, forever);
    clearInterval(count);
    expect(body).toHaveLength(20_000_000);
    expect(events).toBeGreaterThan(8);
  });

  test("that goes on after the limit is refused", async () => {
    const reading = readBody(new Response(ownStream(PIECES)), 100_000, forever);
    await expect(reading).rejects.toMatchObject({ code: "SCRAPE_BODY_TOO_LARGE" });
  });

  test.each(["gzip, gzip", "deflate, gzip", "gzip, deflate, gzip"])(
    "that is packed as %s is given up at its limit, however small it is",
    async (encoding) => {
      const layers = encoding.split(", ").map((name) => (name === "gzip" ? "gzip" : "deflate"));
      let packedBomb = new Response(new Blob([new Uint8Array(60_000_000)])).body ?? ownStream([]);
      for (const format of layers) packedBomb = packedBomb.pipeThrough(new CompressionStream(format));
      const bomb = await new Response(packedBomb).bytes();
      expect(bomb.byteLength).toBeLessThan(5_000);
      const headers = { "content-encoding": encoding, "content-length": String(bomb.byteLength) };
      const reading = readBody(new Response(ownStream([bomb]), { headers, encodeBody: "manual" }), 50_000_000, forever);
      await expect(reading).rejects.toMatchObject({ code: "SCRAPE_BODY_TOO_LARGE" });
    },
  );

  test.each(["gzip, br", "zstd", "gzip, gzip, gzip, gzip, gzip"])(
    "that is packed as %s is refused",
    async (encoding) => {
      const response = new Response(ownStream(PIECES), {
        headers: { "content-encoding": encoding },
        encodeBody: "manual",
      });
      await expect(readBody(response, 1_000_000, forever)).rejects.toMatchObject({
        code: "SCRAPE_UNSUPPORTED_FILE_ERROR",
      });
    },
  );

  test("that is packed and breaks off is an error", async () => {
    const whole = await new Response(packed()).bytes();
    const headers = { "content-encoding": "deflate" };
    const response = new Response(ownStream([whole.subarray(0, whole.byteLength >> 1)]), {
      headers,
      encodeBody: "manual",
    });
    await expect(readBody(response, 1_000_000, forever)).rejects.toThrow();
  });

  test("that stands still is given up when the signal says so", async () => {
    const { readable } = new IdentityTransformStream();
    const controller = new AbortController();
    const reading = readBody(new Response(readable), 1000, controller.signal);
    controller.abort(new Error("late"));
    await expect(reading).rejects.toThrow("late");
  });
});
