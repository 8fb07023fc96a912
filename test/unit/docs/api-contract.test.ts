import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ERRORS } from "../../../src/core/errors.ts";
import { ERROR_TABLE_DOCUMENT, errorTable, withErrorTable } from "../../../src/tools/docs/error-table.ts";

const text = readFileSync(ERROR_TABLE_DOCUMENT, "utf8");
const ROOT = join(import.meta.dirname, "../../..");

const sources = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(ROOT, folder, name));

/** The text of a file with the lines of its comments joined. */
const readJoined = (file: string): string => readFileSync(file, "utf8").replaceAll(/\n\s*\* /g, " ");

test("the error table is the one of core/errors.ts", () => {
  expect(withErrorTable(text)).toBe(text);
});

test("the error table names every code with its status and message", () => {
  const table = errorTable();
  for (const [code, { status, message }] of Object.entries(ERRORS)) {
    expect(table).toContain(`| \`${code}\` | ${status} |`);
    expect(table).toContain(`| ${message} |`);
  }
  expect(() => withErrorTable("# A document without the table")).toThrow("no place");
});

test("every heading of the contract that a comment cites exists", () => {
  const headings = new Set([...text.matchAll(/^#{2,3} (.+)$/gm)].map(([, heading]) => heading));
  const cited = [...sources("./src"), ...sources("./test")].flatMap((file) =>
    [...readJoined(file).matchAll(/api-contract\.md, “([^”]+)”/g)].map(([, heading = ""]) => ({
      file,
      heading,
    })),
  );
  expect(cited.length).toBeGreaterThan(10);
  expect(cited.filter(({ heading }) => !headings.has(heading))).toEqual([]);
});

test("no comment cites a document that the repository does not have", () => {
  const citation = new RegExp(["contract", "§"].join(" "), "i");
  const citing = [...sources("./src"), ...sources("./test")].filter((file) => citation.test(readJoined(file)));
  expect(citing).toEqual([]);
});
