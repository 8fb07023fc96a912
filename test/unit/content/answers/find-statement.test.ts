import { describe, expect, test } from "vitest";
import { findStatement } from "../../../../src/content/answers/find-statement.ts";
import { readQuestion } from "../../../../src/content/answers/read-question.ts";
import { WorkBudget } from "../../../../src/core/work-budget.ts";

const VALUE = { kind: "price" as const, text: "€7.50" };
const question = readQuestion("How much is a ticket?");
const find = (markdown: string, steps: number, title = "") =>
  findStatement(VALUE, { question, page: { title, markdown }, budget: new WorkBudget({ steps }) });

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
});
