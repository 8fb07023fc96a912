import { expect, test } from "vitest";
import { answerValues } from "../../../../src/content/answers/answer-values.ts";
import { readQuestion } from "../../../../src/content/answers/read-question.ts";
import { findValues } from "../../../../src/content/answers/value-kinds.ts";
import { processorMs } from "../../../processor-time.ts";

const ASKED = readQuestion("How much does the ferry cost?");
const many = (count: number, write: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => write(index)).join("");

test.each([
  ["1\u00a0299,50 EUR", "1\u00a0299,50 EUR"],
  ["12 345 678 €", "12 345 678 €"],
  ["$ 1\u202f299\u00a0000.-", "$ 1\u202f299\u00a0000"],
  ["CHF 99,–", "CHF 99"],
  ["It costs one hundred thousand pounds.", "one hundred thousand pounds"],
])("%j holds the price %j", (text, price) => {
  expect(findValues("price", text).map((value) => value.text)).toEqual([price]);
});

test("the values of an answer are listed once, and not those of the question", () => {
  const question = readQuestion("What did the 12 boats cost in 1999?");
  const values = answerValues(question, "The 12 boats cost £5, then £7, then £5 again, in 1999 and on 3 May 2001.");
  expect(values.map(({ text }) => text)).toEqual(["£5", "£7", "3 May 2001"]);
});

test.each([
  { what: "numbers after spaces that do not break", text: "\u00a0123".repeat(4_000) },
  { what: "number words", text: "one ".repeat(6_000) },
  { what: "distinct numbers", text: many(15_000, (index) => `${index} `) },
])("the values of $what are found in linear time", async ({ text }) => {
  expect(await processorMs(() => answerValues(ASKED, text))).toBeLessThan(800);
});

test("an answer has 1,000 values at most", () => {
  expect(
    answerValues(
      ASKED,
      many(2_000, (index) => `£${index} and `),
    ),
  ).toHaveLength(1_000);
});
