import { describe, expect, test } from "vitest";
import { WorkBudget } from "../../../../src/core/work-budget.ts";
import {
  bestPassages,
  bestPassagesInTurns,
  rankPassages,
  splitSentences,
} from "../../../../src/content/text/passages.ts";

const HARBOUR = [
  "# Harrow Bay",
  "",
  "The harbour was built in 1821. Its breakwater is four hundred metres long. Dr. Marrow measured it twice.",
  "",
  "## Ferries",
  "",
  "The ferry to Skell Island leaves at nine. In winter the ferry does not sail on Sundays! Bicycles travel free of charge.",
  "",
  "- Tickets are sold on board.",
  "- Dogs need a ticket too.",
].join("\n");

const best = (text: string, query: string, maxChars = 120) =>
  bestPassages(text, query, { count: 1, maxChars })[0]?.text;

describe("best passages", () => {
  test.each([
    { query: "When does the ferry not sail?", text: "In winter the ferry does not sail on Sundays!" },
    { query: "length of the breakwater in metres", text: "Its breakwater is four hundred metres long." },
    { query: "dog ticket", text: "- Dogs need a ticket too." },
    { query: "MARROW measured", text: "Dr. Marrow measured it twice." },
  ])("answer “$query”", ({ query, text }) => {
    expect(best(HARBOUR, query)).toContain(text);
  });

  test("are exact slices of the text, best first, and do not overlap", () => {
    const passages = bestPassages(HARBOUR, "ferry tickets harbour", { count: 4, maxChars: 80 });
    expect(passages.length).toBeGreaterThan(2);
    for (const { text, start, end } of passages) {
      expect(HARBOUR.slice(start, end)).toBe(text);
      expect(text.length).toBeLessThanOrEqual(80);
    }
    expect(passages.map(({ score }) => score)).toEqual(
      passages.map(({ score }) => score).toSorted((left, right) => right - left),
    );
    const inOrder = passages.toSorted((left, right) => left.start - right.start);
    for (const [index, { start }] of inOrder.entries()) {
      expect(start).toBeGreaterThanOrEqual(inOrder[index - 1]?.end ?? 0);
    }
  });

  test("are none when the text holds no word of the query", () => {
    expect(bestPassages(HARBOUR, "volcano", { count: 3, maxChars: 200 })).toEqual([]);
    expect(bestPassages("", "ferry", { count: 3, maxChars: 200 })).toEqual([]);
    expect(bestPassages(HARBOUR, "", { count: 3, maxChars: 200 })).toEqual([]);
  });

  test("of equals the earlier comes first", () => {
    const text = "Salt is white. Coal is black.\n\nSalt is white. Coal is black.";
    expect(bestPassages(text, "salt", { count: 1, maxChars: 14 })[0]?.start).toBe(0);
  });

  test("are found without spaces between words", () => {
    const text = "港は一八二一年に建てられた。冬の日曜日には渡し船は出ない。自転車は無料で運ばれる。";
    expect(best(text, "自転車の料金", 16)).toBe("自転車は無料で運ばれる。");
    expect(best(text, "渡し船", 20)).toBe("冬の日曜日には渡し船は出ない。");
  });

  test("ignore case and diacritics", () => {
    expect(best("Der Hafen ist alt. Das Café öffnet um neun.", "cafe offnet", 40)).toBe("Das Café öffnet um neun.");
  });

  test("of a sentence that is too long are the piece around the term, with no half characters", () => {
    const text = `${"word ".repeat(200)}the lighthouse keeper ${"😀".repeat(200)}`;
    const passage = best(text, "lighthouse", 100);
    expect(passage).toContain("the lighthouse keeper");
    expect(passage?.length).toBeLessThanOrEqual(100);
    expect(passage?.isWellFormed()).toBe(true);
  });
});

test("a sentence does not end after an abbreviation or inside a number", () => {
  const text = "It cost 3.50 marks, e.g. Dr. Pell paid it. Was that much? 「はい。」そうだ。";
  expect(splitSentences(text).map(({ start, end }) => text.slice(start, end))).toEqual([
    "It cost 3.50 marks, e.g. Dr. Pell paid it.",
    "Was that much?",
    "「はい。」",
    "そうだ。",
  ]);
});

test("sentences that are not ranked are named in the budget", () => {
  const budget = new WorkBudget();
  const options = { count: 1, maxChars: 50, budget };
  bestPassages("A ferry sails. ".repeat(1_000), "ferry", options);
  expect(budget.warning).toBeUndefined();
  bestPassages("A ferry sails. ".repeat(100_001), "ferry", options);
  expect(budget.warning).toContain("passages after the first 100000 sentences");
});

describe("of a long query", () => {
  const NUMBERS = Array.from({ length: 2_000 }, (_, index) => `w${index.toString(16)}`);
  const PAGE = Array.from({ length: 400 }, (_, line) =>
    Array.from({ length: 60 }, (__, word) => NUMBERS[(line * 61 + word * 37) % 600]).join(" "),
  ).join(".\n\n");
  const stepsFor = (query: readonly string[]): number => {
    const budget = new WorkBudget();
    expect(bestPassages(PAGE, query.join(" "), { count: 6, maxChars: 420, budget }).length).toBeGreaterThan(0);
    return budget.steps;
  };

  test("words that the text does not hold take no step", () => {
    const held = NUMBERS.slice(0, 40);
    expect(stepsFor(held)).toBeGreaterThan(24_000);
    expect(stepsFor([...held, ...NUMBERS.slice(600)])).toBe(stepsFor(held));
  });

  test("more words than are ranked take hardly more steps", () => {
    expect(stepsFor(NUMBERS.slice(0, 600))).toBeLessThan(2 * stepsFor(NUMBERS.slice(0, 32)));
  });

  test("the rarest words count", () => {
    const sentences = NUMBERS.slice(0, 60).map((word) => `The ${word} is common.\n\n`.repeat(20));
    const text = `${sentences.join("")}A lighthouse stands here alone.`;
    const [best] = bestPassages(text, `${NUMBERS.slice(0, 60).join(" ")} lighthouse`, { count: 1, maxChars: 100 });
    expect(best?.text).toContain("lighthouse");
  });

  test("no turn takes many steps", () => {
    const budget = new WorkBudget();
    const work = rankPassages(PAGE.repeat(5), NUMBERS.join(" "), { count: 6, maxChars: 420, budget });
    const turns: number[] = [];
    let before = 0;
    for (let step = work.next(); step.done !== true; step = work.next()) {
      turns.push(budget.steps - before);
      before = budget.steps;
    }
    turns.push(budget.steps - before);
    expect(turns.length).toBeGreaterThan(5);
    expect(Math.max(...turns)).toBeLessThan(150_000);
  });

  test("other work runs between the turns", async () => {
    let others = 0;
    const beside = setInterval(() => others++, 0);
    const passages = await bestPassagesInTurns(PAGE.repeat(5), NUMBERS.join(" "), { count: 6, maxChars: 420 });
    clearInterval(beside);
    expect(passages).toEqual(bestPassages(PAGE.repeat(5), NUMBERS.join(" "), { count: 6, maxChars: 420 }));
    expect(others).toBeGreaterThan(2);
  });

  test("the text after the end of the budget is not ranked, and that is named", () => {
    const budget = new WorkBudget({ steps: 5_000 });
    const passages = bestPassages(PAGE, NUMBERS.join(" "), { count: 6, maxChars: 420, budget });
    expect(passages.every(({ end }) => end < PAGE.length / 4)).toBe(true);
    expect(budget.warning).toContain("passages after the first");
  });
});
