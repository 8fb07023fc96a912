import { expect, test } from "vitest";
import { withAnswerLimit } from "../../../../src/platform/language-model/limit-answer.ts";

const answerOf = (bytes: number, isStreamed: boolean): Promise<string> => {
  const fetcher = async (): Promise<Response> => new Response("a".repeat(bytes), { status: 201 });
  return withAnswerLimit(fetcher, { tokens: 1000, isStreamed })("https://model.example/").then((each) => each.text());
};

test("an answer of events may have more bytes than one that comes whole", async () => {
  expect(await answerOf(500_000, false)).toHaveLength(500_000);
  await expect(answerOf(600_000, false)).rejects.toMatchObject({ code: "MODEL_BAD_OUTPUT" });
  expect(await answerOf(600_000, true)).toHaveLength(600_000);
  await expect(answerOf(1_200_000, true)).rejects.toMatchObject({ code: "MODEL_BAD_OUTPUT" });
});
