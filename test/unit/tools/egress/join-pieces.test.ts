import { once } from "node:events";
import { PassThrough, Readable, Writable } from "node:stream";
import { expect, test } from "vitest";
import { passJoined } from "../../../../src/tools/egress/join-pieces.ts";

/** A stream that takes everything and notes the pieces. */
function collector(): { to: Writable; received: Buffer[] } {
  const received: Buffer[] = [];
  const to = new Writable({
    write: (piece: Buffer, _encoding, done) => {
      received.push(piece);
      done();
    },
  });
  return { to, received };
}

test("pieces of one byte that arrive together are handed on as few", async () => {
  const letters = Array.from({ length: 100_000 }, (_, at) => 97 + (at % 26));
  const { to, received } = collector();
  const from = new Readable({ read: () => undefined });
  for (const letter of letters) from.push(Buffer.of(letter));
  from.push(null);
  passJoined(from, to);
  await once(to, "finish");
  expect(Buffer.concat(received)).toEqual(Buffer.from(letters));
  expect(received.length).toBeLessThan(100);
});

test("long pieces are handed on as they are, in their order among short ones", async () => {
  const long = Buffer.alloc(5_000, "l");
  const { to, received } = collector();
  passJoined(Readable.from([Buffer.from("ab"), long, Buffer.from("d")]), to);
  await once(to, "finish");
  expect(received.map(({ byteLength }) => byteLength)).toEqual([2, 5_000, 1]);
  expect(received[1]).toBe(long);
});

test("a short piece does not wait for the next", async () => {
  const { to, received } = collector();
  const from = new PassThrough();
  passJoined(from, to);
  from.write("first");
  await expect.poll(() => String(received)).toBe("first");
  from.destroy();
});

test("pieces of any length are read no faster than they are written", async () => {
  for (const length of [1, 2_000, 10_000]) {
    const from = Readable.from(endless(length), { highWaterMark: 1 });
    const to = new Writable({ highWaterMark: 65_536, write: () => undefined });
    read = 0;
    passJoined(from, to);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(to.writableLength + read).toBeLessThan(300_000);
    to.destroy();
    await once(from, "close");
  }
});

let read = 0;
async function* endless(length: number): AsyncGenerator<Buffer> {
  const piece = Buffer.alloc(length);
  for (;;) {
    read += length;
    yield piece;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test.each(["from", "to"] as const)(
  "when the stream %s which it is copied ends early, both are destroyed",
  async (which) => {
    const [from, to] = [new PassThrough(), new PassThrough()];
    passJoined(from, to);
    from.write("late");
    ({ from, to })[which].destroy();
    await expect.poll(() => [from.destroyed, to.destroyed]).toEqual([true, true]);
    expect(to.readableLength).toBe(0);
  },
);

test("a stream that was destroyed before takes the other with it", () => {
  const [from, to] = [new PassThrough(), new PassThrough()];
  from.destroy();
  passJoined(from, to);
  expect(to.destroyed).toBe(true);
});
