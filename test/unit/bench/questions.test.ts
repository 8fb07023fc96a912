import { beforeAll, describe, expect, test } from "vitest";
import { readQuestion } from "../../../src/content/answers/read-question.ts";
import { askMadeUpWeb, type Judged } from "../../bench/questions/ask-made-up-web.ts";
import { lieTo, scriptedModel } from "../../bench/questions/scripted-models.ts";
import { madeUpPages } from "../../site/made-up-web/pages.ts";
import { HELD_OUT_QUESTIONS, QUESTIONS, type MadeUpQuestion } from "../../site/made-up-web/questions.ts";
import { isLong, isShort } from "../../sample.ts";

const ALL = [...QUESTIONS, ...HELD_OUT_QUESTIONS];
/** Pages that rules answered from, so that a model is given a page to read for every question. */
const withPages: MadeUpQuestion[] = [];
const byRules = new Map<string, Judged>();
/** Every third question, for models that take many steps for each; with `LONG_TESTS=1` all of them. */
const some = (questions: readonly MadeUpQuestion[]): MadeUpQuestion[] =>
  questions.filter((_, index) => isLong() || index % 3 === 0);
/** All of them or, in the short form, every third question: rules have answered all of them before. */
const most = (questions: readonly MadeUpQuestion[]): readonly MadeUpQuestion[] =>
  isShort() ? some(questions) : questions;

const pageOf = ({ urls = [] }: MadeUpQuestion): string => urls[0] ?? "";
const prompts = (judged: readonly Judged[]): string[] => judged.map(({ question }) => question.prompt);
const unmarkedWrong = (judged: readonly Judged[]): string[] =>
  prompts(judged.filter(({ verdict, isMarked }) => verdict === "wrong" && !isMarked));
const withLie = (judged: readonly Judged[]): Judged[] =>
  judged.filter(({ result, question }) => result.includes(lieTo(question)));

const isRight = ({ verdict, question }: Judged): boolean =>
  verdict === "right" || (verdict === "not found" && question.answer === undefined);

beforeAll(async () => {
  for (const judged of await askMadeUpWeb(ALL)) byRules.set(judged.question.prompt, judged);
}, 120_000);

test("60 questions over 200 made-up pages have the right answer, or none, and no wrong value", () => {
  expect(madeUpPages()).toHaveLength(200);
  const judged = [...byRules.values()];
  expect(judged).toHaveLength(60);
  expect(prompts(judged.filter(({ verdict }) => verdict === "wrong"))).toEqual([]);
  expect(judged.filter(isRight).length).toBeGreaterThanOrEqual(54);
});

describe("60 questions through a scripted model", () => {
  beforeAll(() => {
    for (const { question, result } of byRules.values()) {
      const [source] = /https:\/\/\S+/.exec(result.split("\n\n").at(-1) ?? "") ?? [];
      const { urls = ["https://gullrock-inn.example/about"] } = question;
      withPages.push({ ...question, urls: source === undefined ? urls : [source] });
    }
    expect(withPages).toHaveLength(60);
  });

  test("that answers without reading states no value as a fact", async () => {
    const llm = scriptedModel(ALL, ({ question }) => ({ text: `${lieTo(question)}.` }));
    const judged = await askMadeUpWeb(most(ALL), { llm });
    expect(withLie(judged)).toHaveLength(most(ALL).length);
    expect(judged.filter(({ isMarked }) => isMarked)).toHaveLength(most(ALL).length);
    expect(judged.every(({ warning }) => warning.includes("without reading a page"))).toBe(true);
    expect(judged.reduce((sum, { pagesRead }) => sum + pagesRead, 0)).toBe(0);
  });

  test("that reads a page and states another value has each of its values marked and named", async () => {
    const llm = scriptedModel(withPages, ({ question, turn }) =>
      turn === 0
        ? { call: { toolName: "read_page", input: { url: pageOf(question) } } }
        : { text: `${lieTo(question)}, as ${pageOf(question)} says.` },
    );
    const asked = most(withPages);
    const judged = await askMadeUpWeb(asked, { llm });
    expect(judged.every(({ pagesRead }) => pagesRead === 1)).toBe(true);
    expect(withLie(judged)).toHaveLength(asked.length);
    expect(prompts(judged.filter(({ isMarked }) => !isMarked))).toEqual([]);
    expect(unmarkedWrong(judged)).toEqual([]);
    const values = judged.filter(({ question }) => readQuestion(question.prompt).kind !== "passage");
    expect(values.length).toBeGreaterThanOrEqual(Math.floor((56 / 60) * asked.length));
    expect(prompts(values.filter(({ question, warning }) => !warning.includes(`“${lieTo(question)}”`)))).toEqual([]);
  });

  test("that states what a page says is not marked", async () => {
    const llm = scriptedModel(withPages, ({ question, turn }) =>
      turn === 0
        ? { call: { toolName: "read_page", input: { url: pageOf(question) } } }
        : { text: `${byRules.get(question.prompt)?.result.split("\n\n")[0]} (${pageOf(question)})` },
    );
    const right = most(withPages).filter(({ prompt, isValue }) => isValue && byRules.get(prompt)?.verdict === "right");
    const judged = await askMadeUpWeb(right, { llm });
    expect(judged.length).toBeGreaterThanOrEqual((2 * most(withPages).length) / 3);
    expect(prompts(judged.filter(({ verdict }) => verdict !== "right"))).toEqual([]);
    expect(prompts(judged.filter(({ isMarked }) => isMarked))).toEqual([]);
  });

  test("that repeats one call is stopped, and its guesses on the way are marked", async () => {
    const llm = scriptedModel(ALL, ({ question }) => ({
      text: `${lieTo(question)}.`,
      call: { toolName: "search", input: { query: "again" } },
    }));
    const judged = await askMadeUpWeb(some(ALL), { llm, body: { effort: "low" } });
    expect(new Set(judged.map(({ stopReason }) => stopReason))).toEqual(new Set(["max_steps"]));
    expect(withLie(judged)).toHaveLength(some(ALL).length);
    expect(judged.every(({ isMarked, warning }) => isMarked && warning.includes("stopped after 8 steps"))).toBe(true);
  });

  test("that reads one page again and again has its answer from the page by rules, or none", async () => {
    const llm = scriptedModel(withPages, ({ question }) => ({
      call: { toolName: "read_page", input: { url: pageOf(question) } },
    }));
    const judged = await askMadeUpWeb(some(withPages), { llm, body: { effort: "low" } });
    expect(new Set(judged.map(({ stopReason }) => stopReason))).toEqual(new Set(["max_steps"]));
    expect(judged.every(({ pagesRead, creditsUsed }) => pagesRead === 1 && creditsUsed === 1)).toBe(true);
    // The answers to open questions are quotes of the page.
    expect(unmarkedWrong(judged.filter(({ question }) => question.isValue))).toEqual([]);
    const right = judged.filter(({ verdict }) => verdict === "right");
    expect(right.length).toBeGreaterThanOrEqual((2 * judged.length) / 3);
  });

  test("that has no credits left and guesses is marked", async () => {
    const llm = scriptedModel(withPages, ({ question, turn, said }) => {
      if (JSON.stringify(said.at(-1)).includes("Answer now")) return { text: `${lieTo(question)}.` };
      const url = new URL(turn === 0 ? pageOf(question) : ["/about", "/prices", "/team"][turn % 3] ?? "/", pageOf(question));
      return { call: { toolName: "read_page", input: { url: url.href } } };
    }); // prettier-ignore
    const judged = await askMadeUpWeb(some(withPages), { llm, body: { maxCredits: 1 } });
    expect(new Set(judged.map(({ stopReason }) => stopReason))).toEqual(new Set(["max_credits"]));
    expect(withLie(judged)).toHaveLength(some(withPages).length);
    expect(prompts(judged.filter(({ isMarked }) => !isMarked))).toEqual([]);
  });
});

test("the lies are of the kinds that the questions ask for", () => {
  const kinds = new Set(ALL.map(({ prompt }) => readQuestion(prompt).kind));
  expect([...kinds]).toEqual(expect.arrayContaining(["price", "date", "name", "number", "yes-no", "phone", "email"]));
});
