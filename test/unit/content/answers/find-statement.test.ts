import { describe, expect, test } from "vitest";
import { findStatement } from "../../../../src/content/answers/find-statement.ts";
import { readQuestion } from "../../../../src/content/answers/read-question.ts";
import { atOnce } from "../../../../src/core/in-turns.ts";
import { WorkBudget } from "../../../../src/core/work-budget.ts";

const VALUE = { kind: "price" as const, text: "€7.50" };
const question = readQuestion("How much is a ticket?");
const find = (markdown: string, steps: number, title = "") =>
  atOnce(findStatement(VALUE, { question, page: { title, markdown }, budget: new WorkBudget({ steps }) }));

/** Returns the steps and the turns of a search for a short number, which counts beside a word of the question only. */
function costOf(markdown: string): { steps: number; turns: number; quote: string | undefined } {
  const budget = new WorkBudget();
  const asked = readQuestion("How many boats are in the harbour?");
  const work = findStatement(
    { kind: "number", text: "12" },
    { question: asked, page: { title: "", markdown }, budget },
  );
  let turns = 1;
  let step = work.next();
  for (; step.done !== true; step = work.next()) turns++;
  return { steps: budget.steps, turns, quote: step.value?.quote };
}

describe("the search for a stated value", () => {
  test("finds the line, and takes steps for lines with digits only", () => {
    const markdown = `${"Words without a value.\n".repeat(50)}A ticket is € 7.50.`;
    expect(find(markdown, 20)).toEqual({ quote: "A ticket is € 7.50.", start: markdown.indexOf("A ticket") });
  });

  test("ends with its budget", () => {
    const markdown = `${"On 3 May nothing happened.\n".repeat(50)}A ticket is €7.50.`;
    expect(find(markdown, 500)).toBeUndefined();
    expect(find(markdown, 5_000)?.quote).toBe("A ticket is €7.50.");
  });

  test("finds a value in the title", () => {
    expect(find("Nothing here.", 100, "Tickets from €7.50")).toEqual({ quote: "Tickets from €7.50", start: undefined });
  });

  test("looks for a word of the question near a short number only, and counts what it reads", () => {
    const line = costOf("lorem 12 ipsum ".repeat(4_000));
    expect(line.steps).toBeGreaterThan(60_000);
    expect(line.steps).toBeLessThan(150_000);
    const headed = costOf(`# ${"lorem ".repeat(10_000)}\n${"12 x\n".repeat(200)}`);
    expect(headed.steps).toBeLessThan(100_000);
    expect(costOf(`# The harbour\n${"lorem ".repeat(1_000)} 12 ${"ipsum ".repeat(1_000)}`).quote).toContain(" 12 ");
    expect(costOf(`${"lorem ".repeat(600)} 12 boats ${"ipsum ".repeat(600)}`).quote).toContain(" 12 ");
  });

  test("lets other work run within a long page", () => {
    expect(costOf("lorem 34 ipsum\n".repeat(8_000)).turns).toBe(3);
  });
});
