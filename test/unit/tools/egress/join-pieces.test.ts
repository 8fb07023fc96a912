import { once } from "node:events";
import { expect, test } from "vitest";
import { JoinedPieces } from "../../../../src/tools/egress/join-pieces.ts";

test("pieces of one byte that arrive together are handed on as few", async () => {
  const pieces = new JoinedPieces({ highWaterMark: 1_000_000 });
  const letters = Array.from({ length: 100_000 }, (_, at) => 97 + (at % 26));
  for (const letter of letters) pieces.write(Buffer.of(letter));
  pieces.end();
  const received = (await pieces.toArray()) as Buffer[];
  expect(Buffer.concat(received)).toEqual(Buffer.from(letters));
  expect(received.length).toBeLessThan(5);
});

test("long pieces are handed on as they are, in their order among short ones", async () => {
  const pieces = new JoinedPieces();
  const received: Buffer[] = [];
  pieces.on("data", (piece: Buffer) => received.push(piece));
  const long = Buffer.alloc(5_000, "l");
  for (const piece of [Buffer.from("ab"), Buffer.from("c"), long, Buffer.from("d")]) pieces.write(piece);
  pieces.end();
  await once(pieces, "end");
  expect(received.map(({ byteLength }) => byteLength)).toEqual([3, 5_000, 1]);
  expect(received[1]).toBe(long);
});

test("a short piece does not wait for the next", async () => {
  const pieces = new JoinedPieces();
  pieces.write(Buffer.from("first"));
  const [received] = await once(pieces, "data");
  expect(String(received)).toBe("first");
  pieces.destroy();
});

test("nothing is handed on after the end of the stream", async () => {
  const pieces = new JoinedPieces();
  pieces.write(Buffer.from("late"));
  pieces.destroy();
  await new Promise((resolve) => setImmediate(resolve));
  expect(pieces.readableLength).toBe(0);
});
