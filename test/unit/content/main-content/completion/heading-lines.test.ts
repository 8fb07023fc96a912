import { expect, test } from "vitest";
import { completeChoice } from "../../../../../src/content/main-content/complete-choice.ts";
import { measurePage } from "../../../../../src/content/main-content/features/page-measures.ts";
import { parseHtml } from "../../../../../src/content/html/tree/tree.ts";

const LONG = "A line of more than a dozen words is a text, on which the classifier has to decide alone.";
const entry = (at: number, line: string, tag = "p") =>
  `<h2>Entry ${at}</h2><${tag}>${line}</${tag}><p>The text of entry ${at} says what happened on that day.</p>`;

/** The lines below the headings that are kept after all texts and some lines were chosen. */
function keptLines(
  entries: readonly string[],
  { chosen, probability = 0.4 }: { chosen: string[]; probability?: number },
): string[] {
  const page = measurePage(parseHtml(`<h1>Notes</h1>${entries.join("")}`), "https://a.example/notes");
  const { blocks } = page.outline;
  const isText = (text: string) => /^(?:Notes|Entry|The text)/.test(text);
  const kept = Uint8Array.from(blocks, ({ text }) => (isText(text) || chosen.includes(text) ? 1 : 0));
  completeChoice(page, new Float32Array(blocks.length).fill(probability), kept);
  return blocks.filter(({ text }, block) => kept[block] === 1 && !isText(text)).map(({ text }) => text);
}

const DATES = ["1 May", "2 June", "3 July"];
const ENTRIES = DATES.map((date, at) => entry(at, date));

test("a line below a heading is kept where most lines of its shape are", () => {
  expect(keptLines(ENTRIES, { chosen: ["1 May", "3 July"] })).toEqual(DATES);
});

test.each([
  ["one line alone does not keep the others", ENTRIES, ["1 May"], 0.4],
  ["an unlikely line stays out", ENTRIES, ["1 May", "2 June"], 0.1],
  [
    "a line of another shape stays out",
    [...ENTRIES.slice(0, 2), entry(2, "Advertisement", "div")],
    ["1 May", "2 June"],
    0.4,
  ],
  ["a long line stays out", [...ENTRIES.slice(0, 2), entry(2, LONG)], ["1 May", "2 June"], 0.4],
] as const)("%s", (_what, entries, chosen, probability) => {
  expect(keptLines(entries, { chosen: [...chosen], probability })).toEqual([...chosen]);
});
