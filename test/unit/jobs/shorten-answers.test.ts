import { expect, test } from "vitest";
import { shortenAnswers } from "../../../src/jobs/shorten-answers.ts";
import type { ModelMessage } from "../../../src/ports/language-model.ts";

const answer = (text: string): ModelMessage => ({ role: "tool", callId: text, toolName: "read_page", text });

test("answers of tools older than the newest are cut, and nothing else is", () => {
  const question: ModelMessage = { role: "user", text: "a question that is long" };
  const talk = [question, answer("the oldest of them"), answer("short"), answer("the newest of them")];
  const shortened = shortenAnswers(talk, { whole: 1, maxChars: 10 });
  expect(shortened.map(({ text }) => text)).toEqual([
    "a question that is long",
    "the oldest\n[shortened]",
    "short",
    "the newest of them",
  ]);
  expect(talk[1]).toMatchObject({ text: "the oldest of them" });
});
