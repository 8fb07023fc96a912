import { readQuestion } from "../../../src/content/answers/read-question.ts";
import type { LanguageModel, ModelMessage, ModelStep } from "../../../src/ports/language-model.ts";
import type { MadeUpQuestion } from "../../site/made-up-web/questions.ts";

/** Returns the next step of a model: `said` are the messages so far, `turn` counts the steps of the run from 0. */
type Behaviour = (run: { question: MadeUpQuestion; turn: number; said: readonly ModelMessage[] }) => {
  text?: string;
  call?: { toolName: string; input: object };
};

/** A language model in memory that follows a script for each question of the made-up web. */
export function scriptedModel(questions: readonly MadeUpQuestion[], behave: Behaviour): LanguageModel {
  const never = (): never => {
    throw new Error("The agent has no use for this here");
  };
  return {
    names: { large: "scripted", small: "scripted-small" },
    contextTokens: 50_000,
    generateText: never,
    generateObject: never,
    async step({ messages }): Promise<ModelStep> {
      const [first] = messages;
      const asked = first?.role === "user" ? first.text.split("\n")[0] : "";
      const question = questions.find(({ prompt }) => prompt === asked);
      if (question === undefined) throw new Error(`The bench has no question ${asked}`);
      const turn = messages.filter(({ role }) => role === "assistant").length;
      const { text = "", call } = behave({ question, turn, said: messages });
      const toolCalls = call === undefined ? [] : [{ id: String(turn), ...call }];
      return { text, toolCalls, usage: { inputTokens: 0, outputTokens: 0 } };
    },
  };
}

/** Returns a value of the asked kind that is on no page of the made-up web; yes or no is the wrong one. */
export function lieTo({ prompt, answer }: MadeUpQuestion): string {
  switch (readQuestion(prompt).kind) {
    case "price":
      return "€7,777";
    case "date":
      return "9 September 1642";
    case "name":
    case "place":
      return "Zebulon Quarkstone";
    case "phone":
      return "+44 1632 555777";
    case "email":
      return "nobody@lies.example";
    case "yes-no":
      return answer?.test("No") === true ? "Yes" : answer === undefined ? "Yes" : "No";
    case "number":
      return "7,777";
    default:
      return "It was founded on 9 September 1642 and has 7,777 members";
  }
}
