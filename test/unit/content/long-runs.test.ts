/**
 * Pages with one short text thousands of times in each place, and with thousands of equal siblings. Patterns and searches that
 * begin anew at every character or sibling take no steps of the budget: processor time shows them. Twice the length must take
 * about twice the time.
 */
import { expect, test } from "vitest";
import { plainText } from "../../../src/content/text/plain-text.ts";
import { withoutPromptInjection } from "../../../src/content/text/prompt-injection.ts";
import { readMarkdownFacts } from "../../../src/content/answers/markdown-facts.ts";
import { pagesWith, SHORT_TEXTS, SIBLINGS } from "../../long-runs.ts";
import { readAll } from "./read-all.ts";
import { isShort, shortAndLong } from "../../sample.ts";
import { processorMs } from "../../processor-time.ts";

/** Characters of a run in each place. Quadratic work takes over half a second for the longer one. */
const RUN_CHARS = isShort() ? ([10_000, 20_000] as const) : ([20_000, 40_000] as const);
const SIBLING_COUNTS = isShort() ? ([5_000, 10_000] as const) : ([10_000, 20_000] as const);
/** Quadratic work takes four times as long. */
const MAX_FACTOR = 3;
/** What the compilation and collections of the engine may add. */
const NOISE_MS = isShort() ? 150 : 300;
const TRIES = 3;
/** Of the texts and siblings that have shown quadratic work, those that showed most of it are tried always. */
const FOUND = new Set(["<a b=", "background:url("]);
const FOUND_SIBLINGS = new Set(SIBLINGS.slice(0, 2));

function readMarkdown(markdown: string): void {
  for (const text of [markdown, `| ${markdown}`, `## ${markdown}`, `- ${markdown}x`]) {
    plainText(text);
    withoutPromptInjection(text);
    readMarkdownFacts({ title: "x", markdown: text });
  }
}

/** Expects that twice the size takes about twice the processor time, in one of some tries: contention slows processors too. */
async function expectLinear(read: (size: number) => Promise<unknown>, [small, large]: readonly [number, number]): Promise<void> {
  await read(small / 10);
  let [least, most] = [0, Infinity];
  for (let tries = 0; tries < TRIES && most > MAX_FACTOR * least + NOISE_MS; tries++) {
    least = await processorMs(() => read(small));
    most = await processorMs(() => read(large));
  }
  expect(most).toBeLessThan(MAX_FACTOR * least + NOISE_MS);
} // prettier-ignore

for (const { tags, entries } of shortAndLong(SHORT_TEXTS, (text) => FOUND.has(text)))
  test.each(entries)("a page is read in linear time with runs of %j", { tags }, async (text) => {
    await expectLinear(async (chars) => {
      const run = text.repeat(chars / text.length);
      for (const html of pagesWith(run)) await readAll(html);
      readMarkdown(run);
    }, RUN_CHARS);
  });

for (const { tags, entries } of shortAndLong(SIBLINGS, (sibling) => FOUND_SIBLINGS.has(sibling)))
  test.each(entries)("a page is read in linear time with siblings %s", { tags }, async (sibling) => {
    await expectLinear((count) => readAll(`<main><p>x</p>${sibling.repeat(count)}</main>`), SIBLING_COUNTS);
  });
