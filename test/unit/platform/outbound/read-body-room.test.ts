import { deflateSync, gzipSync } from "node:zlib";
import { expect, test, vi } from "vitest";
import { isAppError } from "../../../../src/core/errors.ts";
import { readBody } from "../../../../src/platform/outbound/read-body.ts";

const MEGABYTES = 4;

/** A body, without a declared length by default. @returns how many megabytes of it have been read */
function longBody(headers = {}): { response: Response; readMegabytes(): number } {
  let sent = 0;
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    if (sent === MEGABYTES) return controller.close();
    sent++;
    controller.enqueue(new Uint8Array(1_000_000));
  };
  const body = new ReadableStream({ pull }, { highWaterMark: 0 });
  return { response: new Response(body, { headers }), readMegabytes: () => sent };
}

test("a large body is read on when there is room for it", async () => {
  const { response, readMegabytes } = longBody();
  let isRoom = false;
  const body = readBody(response, 50_000_000, new AbortController().signal, { hasRoom: () => isRoom });
  await expect.poll(readMegabytes).toBe(2);
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(readMegabytes()).toBe(2);
  isRoom = true;
  expect((await body).byteLength).toBe(MEGABYTES * 1_000_000);
});

test("a large body that waits for room ends with its request", async () => {
  const { response } = longBody();
  const late = new AbortController();
  const body = readBody(response, 50_000_000, late.signal, { hasRoom: () => false });
  setTimeout(() => late.abort(new Error("Too late")), 20);
  await expect(body).rejects.toThrow("Too late");
});

test("large bodies whose sites stall are dropped for those that go on, and fail as slow ones", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  try {
    const forever = new AbortController().signal;
    const stalled = Array.from({ length: 4 }, () => {
      const { promise: goesOn, resolve: goOn } = Promise.withResolvers<void>();
      let sent = 0;
      const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
        if (sent++ === 30) await goesOn;
        controller.enqueue(new Uint8Array(1_000_000));
        if (sent > 31) controller.close();
      };
      const response = new Response(new ReadableStream({ pull }, { highWaterMark: 0 }));
      return { response, goOn, sent: () => sent };
    });
    const bodies: Promise<string>[] = [];
    for (const { response, sent } of stalled) {
      const read = readBody(response, 50_000_000, forever);
      bodies.push(read.then(() => "read", (error: unknown) => (isAppError(error) ? error.code : String(error)))); // prettier-ignore
      await expect.poll(sent).toBe(31);
      vi.setSystemTime(Date.now() + 3_000);
    }
    for (const { goOn } of stalled) goOn();
    expect(await Promise.all(bodies)).toEqual(["SCRAPE_TIMEOUT", "SCRAPE_TIMEOUT", "read", "read"]);
  } finally {
    vi.useRealTimers();
  }
});

test("of a body beyond the limit the beginning is read where that is enough, and no more", async () => {
  for (const headers of [{}, { "content-length": "4000000" }]) {
    const { response, readMegabytes } = longBody(headers);
    const forever = new AbortController().signal;
    expect((await readBody(response, 1_500_000, forever, { cutsBody: true })).byteLength).toBe(2_000_000);
    expect(readMegabytes()).toBe(2);
  }
});

test("of a body that comes in one piece, and unpacks to far more than the limit, the beginning is read as well", async () => {
  const packed = deflateSync(
    new TextEncoder().encode(Array.from({ length: 60_000 }, (_, at) => `Disallow: /a${at % 977}/\n`).join("")),
  );
  const response = new Response(new Blob([packed]).stream(), { headers: { "content-encoding": "deflate" } });
  const body = await readBody(response, 300_000, new AbortController().signal, { cutsBody: true });
  expect(body.byteLength).toBeGreaterThan(100_000);
  expect(new TextDecoder().decode(body.subarray(0, 40))).toBe("Disallow: /a0/\nDisallow: /a1/\nDisallow: ");
});

test.each(["deflate", "gzip, gzip"])("of a long body in %s the beginning is read as well", async (coding) => {
  const pack = (bytes: Uint8Array): Uint8Array =>
    coding === "deflate" ? deflateSync(bytes) : gzipSync(gzipSync(bytes));
  // Of letters that hardly pack.
  const packed = pack(
    new TextEncoder().encode(
      Array.from({ length: 700_000 }, (_, at) => (at * at * 31).toString(36).at(-2) ?? "").join(""),
    ),
  );
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (let at = 0; at < packed.byteLength; at += 16_000) controller.enqueue(packed.subarray(at, at + 16_000));
      controller.close();
    },
  });
  const response = new Response(stream, { headers: { "content-encoding": coding } });
  const body = await readBody(response, 512_000, new AbortController().signal, { cutsBody: true });
  expect(body.byteLength).toBeGreaterThan(400_000);
  expect(body.byteLength).toBeLessThan(700_000);
});
