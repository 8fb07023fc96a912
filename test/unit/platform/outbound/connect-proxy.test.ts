import { expect, test } from "vitest";
import { createProxyFetch } from "../../../../src/platform/outbound/connect-proxy.ts";
import { readBody } from "../../../../src/platform/outbound/read-body.ts";
import { ResponseParser } from "../../../../src/platform/outbound/response-parser.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A `fetch` by a proxy that answers with these pieces, and then with more of the last one when it is endless. */
function fetchAnswered(pieces: readonly string[], isEndless = false): typeof fetch {
  const closed = Promise.withResolvers<void>();
  let sent = 0;
  const readable = new ReadableStream<Uint8Array>(
    {
      pull(controller): void {
        const piece = pieces[sent++] ?? (isEndless ? pieces.at(-1) : undefined);
        if (piece === undefined) controller.close();
        else controller.enqueue(encode(piece));
      },
    },
    { highWaterMark: 0 },
  );
  const socket = {
    opened: Promise.resolve({}),
    closed: closed.promise,
    readable,
    writable: new WritableStream(),
    close: () => Promise.resolve(closed.resolve()),
  };
  return createProxyFetch("http://proxy.test:3128", { label: "test", connect: () => socket as unknown as Socket });
}

const read = (response: Response, maxBytes: number): Promise<Uint8Array> =>
  readBody(response, maxBytes, new AbortController().signal);

test("a body in chunks is read up to the limit, whatever length is declared", async () => {
  const head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nTransfer-Encoding: chunked\r\n\r\n";
  const chunk = `400\r\n${"x".repeat(1_024)}\r\n`;
  const response = await fetchAnswered([head, chunk], true)("http://site.test/");
  await expect(read(response, 50_000)).rejects.toMatchObject({ code: "SCRAPE_BODY_TOO_LARGE" });
});

test("the chunks of one read are one piece of the body", async () => {
  const parser = new ResponseParser({ hasBody: true });
  parser.write(encode("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"));
  const piece = parser.write(encode("1\r\nx\r\n".repeat(1_000)));
  expect(piece?.byteLength).toBe(1_000);
  expect(parser.write(encode("0\r\n\r\n"))).toBeUndefined();
  expect(parser.isDone).toBe(true);
});

test.each(["-5", "-6", "zz", "", "5 5", "0x5", "5,", "f".repeat(13)])("a chunk of the size %j is refused", (size) => {
  const parser = new ResponseParser({ hasBody: true });
  parser.write(encode("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"));
  expect(() => parser.write(encode(`${size}\r\nworld\r\n`))).toThrow(
    expect.objectContaining({ code: "SCRAPE_SITE_ERROR" }),
  );
});

test.each(["5", "005", "5 ", "5;name=value", "5 ; name"])(
  "a chunk of the size %j is read, also in two pieces",
  (size) => {
    const parser = new ResponseParser({ hasBody: true });
    parser.write(encode("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"));
    parser.write(encode(size.slice(0, 1)));
    expect(parser.write(encode(`${size.slice(1)}\r\nworld\r\n0\r\n\r\n`))?.byteLength).toBe(5);
    expect(parser.isDone).toBe(true);
  },
);

test("a body comes whole, with what came beside its head", async () => {
  const pieces = [
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n",
    "1\r\nc\r\n",
    "0\r\n\r\n",
  ];
  const response = await fetchAnswered(pieces)("http://site.test/");
  expect(new TextDecoder().decode(await read(response, 1_000))).toBe("abc");
});

test.each([999, 600, 99])("the status %i is named in the error", async (status) => {
  const head = `HTTP/1.1 ${String(status).padStart(3, "0")} Denied\r\nContent-Length: 0\r\n\r\n`;
  await expect(fetchAnswered([head])("http://site.test/")).rejects.toMatchObject({
    code: "SCRAPE_SITE_ERROR",
    message: expect.stringContaining(String(status)) as string,
  });
});
