import { expect, test } from "vitest";
import { NameTable } from "../../../../../src/content/html/tree/name-table.ts";

test.each(["div", "DIV", "Data-Component", "x".repeat(40), "ünïcode", "ÜNÏ", ""])(
  "“%s” comes in lower case",
  (name) => {
    const names = new NameTable();
    const source = `<${name}>`;
    for (let again = 0; again < 2; again++) {
      expect(names.lowerCase(source, 1, 1 + name.length)).toBe(name.toLowerCase());
    }
  },
);

test("more names than the table holds come in lower case as well", () => {
  const names = new NameTable();
  for (let number = 0; number < 5000; number++) {
    const name = `Name-${number}`;
    expect(names.lowerCase(name, 0, name.length)).toBe(name.toLowerCase());
  }
});

test("names of one hash neither fill the table for other names nor are compared with all others", () => {
  const names = new NameTable();
  // `a_`, `b@` and `c!` are equal in a hash that multiplies by 31.
  const pairs = ["a_", "b@", "c!"];
  const number = 3 ** 7;
  const colliding = Array.from({ length: number }, (_, at) =>
    at
      .toString(3)
      .padStart(7, "0")
      .replace(/\d/g, (digit) => pairs[Number(digit)] ?? ""),
  );
  let read = 0;
  const source = new (class extends String {
    override charCodeAt(at: number): number {
      read++;
      return super.charCodeAt(at);
    }
  })(colliding.join(" ")) as unknown as string;
  for (let at = 0; at < number; at++) expect(names.lowerCase(source, at * 15, at * 15 + 14)).toBe(colliding[at]);
  // Each character once for the hash, and those of at most eight names, which differ in the first two pairs or later.
  expect(read).toBeLessThan(number * 14 * 9);
});
