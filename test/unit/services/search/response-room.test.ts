import { expect, test } from "vitest";
import { HeldBytes } from "../../../../src/core/waits/held-bytes.ts";
import { ResponseRoom } from "../../../../src/services/search/response-room.ts";

const A = { teamId: "a", keyId: "k" };

function roomsOf(memory: HeldBytes, owner = A) {
  return new ResponseRoom({ memory, owner, clientLeft: undefined });
}

test("the documents of many searches of a team together take a bounded room beyond the first ones of each", () => {
  const memory = new HeldBytes({ ofTeam: 5_000_000, inAll: 10_000_000 });
  const document = { markdown: "x".repeat(400_000), metadata: { sourceURL: "https://a.example/", scrapeId: "s" } };
  const rooms = Array.from({ length: 50 }, () => roomsOf(memory));
  const kept = rooms.map((room) => {
    const fields = Array.from({ length: 40 }, () => room.take(document, true));
    return fields.filter(({ markdown }) => markdown !== undefined).length;
  });
  // The first one has what a search may have before others come.
  expect(kept[0]).toBe(12);
  expect(kept.slice(1).every((count) => count === 2)).toBe(true);
  expect(memory.bytesOf("a")).toBeLessThan(5_000_000 + 49 * 1_000_000);
  expect(rooms[1]).toMatchObject({ leftOut: 38, isShared: true });
  // Another team has its own.
  const other = roomsOf(memory, { teamId: "b", keyId: "k" });
  expect(other.take(document, true).markdown).toBeDefined();
  for (const room of [...rooms, other]) room.release();
  expect([memory.bytesOf("a"), memory.bytesOf("b")]).toEqual([0, 0]);
});

test("small documents are not counted", () => {
  const memory = new HeldBytes();
  const room = roomsOf(memory);
  for (let at = 0; at < 100; at++) expect(room.take({ markdown: "x".repeat(50_000) }, true).markdown).toBeDefined();
  expect([memory.bytesOf("a"), room.leftOut]).toEqual([0, 0]);
});
