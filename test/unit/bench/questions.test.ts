import { expect, test } from "vitest";
import { askMadeUpWeb, type Judged } from "../../bench/questions/ask-made-up-web.ts";
import { HELD_OUT_QUESTIONS, QUESTIONS } from "../../site/made-up-web/questions.ts";
import { madeUpPages } from "../../site/made-up-web/pages.ts";

const isRight = ({ verdict, question }: Judged): boolean =>
  verdict === "right" || (verdict === "not found" && question.answer === undefined);

test("60 questions over 200 made-up pages have the right answer, or none, and no wrong value", async () => {
  expect(madeUpPages()).toHaveLength(200);
  const judged = await askMadeUpWeb([...QUESTIONS, ...HELD_OUT_QUESTIONS]);
  expect(judged).toHaveLength(60);
  expect(judged.filter(({ verdict }) => verdict === "wrong").map(({ question }) => question.prompt)).toEqual([]);
  expect(judged.filter(isRight).length).toBeGreaterThanOrEqual(54);
});
