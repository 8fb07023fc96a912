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
