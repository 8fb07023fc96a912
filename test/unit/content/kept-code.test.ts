import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../../..");

/** Reads a page so often that V8 optimises what reads it, with a full collection between two pages, as in workerd. */
const PROGRAM = `
  const { openHtml, cleanHtml, toMarkdown } = await import("${join(ROOT, "src/content/read-html.ts")}");
  const { articlePage } = await import("${join(ROOT, "test/bench/load/article-pages.ts")}");
  const options = { onlyMainContent: true, includeTags: [], excludeTags: [] };
  for (let number = 0; number < 90; number++) {
    const view = openHtml(articlePage(number % 10, 60_000).html, "https://a.example/");
    toMarkdown(view, cleanHtml(view, options), { removeBase64Images: true });
    if (number % 30 === 29) {
      // Code is compiled in other threads, and taken over when this one is free.
      await new Promise((done) => setTimeout(done, 50));
      globalThis.gc({ type: "major", execution: "sync" });
    }
  }
`;

test(
  "the machine code of what reads a page outlives full collections between pages",
  { timeout: 60_000, tags: ["long"] },
  async () => {
    const flags = ["--no-warnings", "--expose-gc", "--no-incremental-marking", "--trace-deopt", "--input-type=module"];
    const run = await promisify(execFile)(process.execPath, [...flags, "--eval", PROGRAM], { maxBuffer: 1e8 });
    const discarded = run.stdout.split("\n").filter((line) => line.includes("embedded weak objects cleared"));
    const names = discarded.map((line) => /SharedFunctionInfo ([^>]*)>/.exec(line)?.[1] ?? "");
    // Without kept shapes these are some fifty methods at each collection.
    const readers = /^(?:openTag|closeTag|enter|read|parentFor|#readOpenTag|#readAttributes|#addElement|#register)$/;
    expect(names.filter((name) => readers.test(name))).toEqual([]);
  },
);
