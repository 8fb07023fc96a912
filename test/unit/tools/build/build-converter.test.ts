import { converterHash } from "#converter";
import { expect, test } from "vitest";
import { converterHashOf, hashOfSources } from "../../../../src/tools/build/build-converter.ts";

const FILES = [
  ["src/content/b.ts", "two\nlines\n"],
  ["src/content/a.ts", "one\n"],
] as const;

const lockOf = (packages: object): string => JSON.stringify({ packages: { "": { version: "1.0.0" }, ...packages } });
const LOCK = lockOf({ "node_modules/parser": { version: "1.0.0", integrity: "sha512-a" } });

test("the hash of the converter is that of its sources, of their models and of the packages of the service", async () => {
  expect(await hashOfSources()).toBe(converterHash);
  expect(converterHash).toMatch(/^[0-9a-f]{32}$/);
});

test("the hash depends neither on the order of the files nor on line endings nor on the addresses of packages", () => {
  const hash = converterHashOf(FILES, LOCK);
  expect(converterHashOf(FILES.toReversed(), LOCK)).toBe(hash);
  expect(
    converterHashOf(
      FILES.map(([name, text]) => [name, text.replaceAll("\n", "\r\n")] as const),
      LOCK,
    ),
  ).toBe(hash);
  const lock = lockOf({
    "node_modules/test-runner": { version: "9.0.0", dev: true },
    "node_modules/parser": { version: "1.0.0", resolved: "https://registry.example/parser.tgz" },
  });
  expect(converterHashOf(FILES, lock)).toBe(hash);
});

test("the hash changes with a text, a name and the version of a package", () => {
  const [first, second] = FILES;
  const hashes = [
    converterHashOf(FILES, LOCK),
    converterHashOf([first, ["src/content/a.ts", "other\n"]], LOCK),
    converterHashOf([first, ["src/content/c.ts", second[1]]], LOCK),
    converterHashOf(FILES, lockOf({ "node_modules/parser": { version: "1.0.1" } })),
  ];
  expect(new Set(hashes).size).toBe(hashes.length);
});
