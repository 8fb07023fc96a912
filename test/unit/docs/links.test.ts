import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { ERRORS } from "../../../src/core/errors.ts";
import { renderDoc } from "../../../src/tools/docs/docs-markdown.ts";
import { PROJECT_ROOT } from "../../../src/tools/service/wrangler.ts";

const DOCS = join(PROJECT_ROOT, "src/docs");
/** Documents that others generate or that describe themselves elsewhere need not be in the index. */
const files = [join(PROJECT_ROOT, "README.md"), ...globSync("**/*.md", { cwd: DOCS }).map((name) => join(DOCS, name))];
const rendered = new Map(files.map((file) => [file, renderDoc(readFileSync(file, "utf8"))]));
const namesOf = (file: string): string => file.slice(PROJECT_ROOT.length + 1);

interface CodeBlock {
  file: string;
  language: string;
  text: string;
}
const blocks = files.flatMap((file): CodeBlock[] =>
  [...readFileSync(file, "utf8").matchAll(/^```(\S*)[^\n]*\n(.*?)^```$/gms)].map(([, language = "", text = ""]) => ({
    file: namesOf(file),
    language,
    text,
  })),
);

/** What is wrong with a link, or undefined. */
function problemOf(file: string, href: string): string | undefined {
  if (/^https?:\/\//.test(href)) return undefined;
  const [path = "", anchor] = href.split("#");
  const target = path === "" ? file : resolve(dirname(file), path);
  if (!existsSync(target)) return `${namesOf(file)}: ${href} leads to no file`;
  if (anchor === undefined) return undefined;
  const isThere = rendered.get(target)?.sections.some((section) => section.anchor === anchor) ?? false;
  return isThere ? undefined : `${namesOf(file)}: ${href} leads to no heading`;
}

test("every link of the documents leads to a file and a heading", () => {
  const links = [...rendered].flatMap(([file, { links: hrefs }]) => hrefs.map((href) => ({ file, href })));
  expect(links.length).toBeGreaterThan(100);
  expect(links.flatMap(({ file, href }) => problemOf(file, href) ?? [])).toEqual([]);
});

test("a link to nothing is noticed", () => {
  const readme = join(PROJECT_ROOT, "README.md");
  expect(problemOf(readme, "src/docs/nothing.md")).toMatch("leads to no file");
  expect(problemOf(readme, "src/docs/endpoints/scrape.md#nothing")).toMatch("leads to no heading");
});

test("the index links to every document", () => {
  const index = rendered.get(join(DOCS, "index.md"));
  const names = files.slice(1).map((file) => relative(DOCS, file));
  expect(new Set(names.map((name) => basename(name))).size).toBe(names.length);
  expect(names.filter((name) => name !== "index.md" && !index?.links.includes(name))).toEqual([]);
});

test("the README stays short and its picture small", () => {
  const readme = readFileSync(join(PROJECT_ROOT, "README.md"), "utf8");
  expect(readme.split("\n").length).toBeLessThanOrEqual(151);
  const picture = /!\[[^\]]+\]\(([^)]+)\)/.exec(readme)?.[1] ?? "";
  expect(readFileSync(join(PROJECT_ROOT, picture)).byteLength).toBeLessThanOrEqual(150_000);
});

describe("blocks of code", () => {
  const json = blocks.filter(({ language }) => language === "json");

  test("there are some", () => expect(json.length).toBeGreaterThan(20));

  test.each(json)("a block of JSON in $file parses", ({ text }) => {
    expect(() => void JSON.parse(text)).not.toThrow();
  });

  test("name their language", () => {
    expect(
      blocks.filter(({ language, file }) => language === "" && !/egress|browser-policy|architecture/.test(file)),
    ).toEqual([]);
  });

  test("a block with curl runs, unless it is marked sh", () => {
    const curls = blocks.filter(({ text }) => /^curl /m.test(text));
    const unrun = curls.filter(({ language }) => language !== "bash");
    expect({ unrun: unrun.map(({ file }) => file), runs: curls.length > 20 }).toEqual({ unrun: [], runs: true });
  });
});

test("the table of errors has every code with its status and message", () => {
  const text = readFileSync(join(DOCS, "errors.md"), "utf8");
  const missing = Object.entries(ERRORS).filter(
    ([code, { status, message }]) =>
      !text.split("\n").some((line) => {
        const [, name = "", shown = "", meaning = ""] = line.split(" | ").map((cell) => cell.replace(/^\| /, ""));
        return (
          line.startsWith(`| \`${code}\``) &&
          name === String(status) &&
          shown !== "" &&
          meaning !== "" &&
          shown.startsWith(message.replace(/[.:]+$/, ""))
        );
      }),
  );
  expect(missing.map(([code]) => code)).toEqual([]);
});
