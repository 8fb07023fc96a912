import { describe, expect, test } from "vitest";
import { checkAnswer } from "../../../../src/jobs/research/check-answer.ts";
import type { ReadPage } from "../../../../src/jobs/research/read-page.ts";

const URL = "https://inn.example/";
const MARKDOWN = `# The inn

The inn has 23 rooms and was founded on 14 April 1887.

| Item | Price |
| --- | --- |
| Double room | €1,118.50 |

Head chef: Idris Calloway. Breakfast is from 7:00 to 10:30. Dogs are allowed in all rooms.

Write to stay@inn.example or call +44 1632 960118.`;
const page = (markdown = MARKDOWN): ReadPage => ({
  url: URL, askedUrl: URL, title: "The inn", description: "", favicon: undefined, markdown, links: [], value: undefined, evidence: [],
}); // prettier-ignore
const check = (prompt: string, text: string, pages = [page()]) => checkAnswer({ prompt, text, field: "result" }, pages);

describe("the check of a model's answer", () => {
  test.each([
    ["How much is a double room?", "A double room is €1,118.50 [1]."],
    ["How much is a double room?", "It costs EUR 1118.50 (https://inn.example/rates/2031)."],
    ["When was the inn founded?", "The inn was founded on 1887-04-14."],
    ["When was the inn founded?", "In April 1887."],
    ["When does breakfast begin?", "It begins at 7 am and ends at 10:30 a.m."],
    ["Who is the head chef of the inn?", "The head chef is Mr Idris Calloway."],
    ["How many rooms does the inn have?", "The inn has 23 rooms."],
    ["What is the e-mail address of the inn?", "stay@inn.example"],
    ["What is the phone number of the inn?", "You can call +44-1632-960118."],
    ["Are dogs allowed?", "Yes, dogs are allowed."],
  ])("%s %s is verified by the line of the page", async (prompt, text) => {
    const { evidence, warning } = await check(prompt, text);
    expect(warning).toBeUndefined();
    expect(evidence.length).toBeGreaterThan(0);
    for (const { url, unverified, field } of evidence) expect([url, unverified, field]).toEqual([URL, undefined, "result"]);
    for (const { quote, place } of evidence) if (place !== undefined) expect(MARKDOWN.slice(place.start, place.end)).toBe(quote);
  }); // prettier-ignore

  test.each([
    ["How much is a double room?", "A double room is €118.50.", "€118.50"],
    ["How much is a double room?", "A double room is $1,118.50.", "$1,118.50"],
    ["How much is a double room?", "It costs 140.", "140"],
    ["When was the inn founded?", "It was founded on 15 April 1887.", "15 April 1887"],
    ["Who is the head chef of the inn?", "The head chef is Idris Vennberg.", "Idris Vennberg"],
    ["How many rooms does the inn have?", "The inn has 30 rooms.", "30"],
    ["How many rooms does the inn have?", "It has seven rooms.", "seven"],
    ["What is the e-mail address of the inn?", "It is book@inn.example.", "book@inn.example"],
    ["What is the phone number of the inn?", "+44 1632 960119", "+44 1632 960119"],
    ["Are dogs allowed?", "No, dogs are not allowed.", "No"],
    ["What is the inn like?", "It costs €9.99 a night.", "€9.99"],
  ])("%s %s is unverified", async (prompt, text, value) => {
    const { evidence, warning } = await check(prompt, text);
    expect(evidence.filter(({ unverified }) => unverified)).toEqual([
      { field: "result", value, url: URL, from: "model", unverified: true },
    ]);
    expect(warning).toBe(`Unverified: the pages that were read do not state “${value}”.`);
  });

  test("a number of the page that counts something else does not verify a number", async () => {
    const { evidence } = await check("How many lifts does the inn have?", "It has 7 lifts.");
    expect(evidence).toMatchObject([{ value: "7", unverified: true }]);
  });

  test("a text that says that nothing was found has no value to mark", async () => {
    const { evidence, warning } = await check("What does parking cost?", "Unfortunately, no page states this.");
    expect([evidence, warning]).toEqual([[], undefined]);
  });

  test("a text without a page is unverified as a whole", async () => {
    const { evidence, warning } = await check("What is the inn like?", "It is lovely.", []);
    expect(evidence).toEqual([{ field: "result", url: "", from: "model", unverified: true }]);
    expect(warning).toContain("without reading a page");
  });

  test("more values than are looked up are named as such", async () => {
    const text = Array.from({ length: 70 }, (_, index) => `€${index + 2}.05`).join(" and ");
    const { evidence, warning } = await check("How much is a double room?", text);
    expect(evidence).toHaveLength(60);
    expect(warning).toContain("52 more");
    expect(warning).toContain("Only the first 60 values");
  });
});
