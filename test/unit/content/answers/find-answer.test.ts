import { describe, expect, test, vi } from "vitest";
import { findAnswer } from "../../../../src/content/answers/find-answer.ts";
import { readQuestion } from "../../../../src/content/answers/read-question.ts";
import { openHtml } from "../../../../src/content/read-html.ts";
import { readStructuredData } from "../../../../src/content/structured-data/read-structured-data.ts";

const KETTLE = `# Copper kettle Falcon

Price: £49.00

The Falcon weighs 1.2 kg and holds 1.7 litres. It was designed by Mara Lindqvist in 2019.

The kettle is not suitable for induction hobs. The handle is made of oak. Mara Lindqvist was taught by Otto Berg.

| Part | Price |
| --- | --- |
| Spare lid | £8.50 |
| Filter | £3.00 |

## You may also like

Osprey kettle for £35.00`;

function answerOn(markdown: string, question: string, title = "Copper kettle Falcon | Hob & Home"): string | undefined {
  return findAnswer(readQuestion(question), { title, markdown })?.value;
}

describe("a page of which the markdown is known", () => {
  const LANTERN = "# Storm lantern\n\n![Storm lantern](/lantern.png)\n\n";
  const OTHERS = "\n\n12 in stock\n\n## Others also looked at\n\nHemp fender\n\n£18.00";

  test.each([
    { price: "£48.00", expected: "£48.00" },
    { price: "**£48.00**", expected: "£48.00" },
    { price: "~~£60.00~~\n\n£48.00", expected: "£48.00" },
    { price: "£60.00\n\n£48.00", expected: undefined },
    { price: "Shipping to £48.00 and more", expected: undefined },
  ])("has as its price the one that is alone below its name: $price", ({ price, expected }) => {
    const ask = (question: string) => answerOn(LANTERN + price + OTHERS, question, "Storm lantern | Chandlery");
    expect(ask("How much does the storm lantern cost?")).toBe(expected);
    expect(ask("How much is the hemp fender?")).not.toBe("£48.00");
  });

  test.each([
    ["What is the price?", "£49.00"],
    ["How much does the Falcon cost?", "£49.00"],
    ["How much is the spare lid?", "£8.50"],
    ["How much does it weigh?", "1.2 kg"],
    ["Who designed the Falcon?", "Mara Lindqvist"],
    ["In which year was it designed?", "2019"],
    ["Is it suitable for induction hobs?", "No"],
    ["Was kostet der Falcon?", "£49.00"],
    ["Who taught Mara Lindqvist?", "Otto Berg"],
  ])("%s", (question, value) => {
    expect(answerOn(KETTLE, question)).toContain(value.replace(" kg", ""));
  });

  test.each([
    "How much does the Heron kettle cost?",
    "When was the company founded?",
    "Who is the CEO?",
    "How many reviews does it have?",
    "Is it dishwasher safe?",
    "What is the phone number?",
    "What is the email address of the shop?",
  ])("has no answer to %s", (question) => {
    expect(answerOn(KETTLE, question)).toBeUndefined();
  });

  test("values of one kind that contradict each other are no answer", () => {
    const text = "# Tickets\n\nA ticket costs £4.\n\nA ticket costs £9.";
    expect(answerOn(text, "What does a ticket cost?", "Tickets")).toBeUndefined();
  });
});

test("headings are folded when they change, not for each sentence below them", () => {
  const markdown = `# ${"é".repeat(2_000)}\n\n${"Noël costs nothing at all. ".repeat(200)}`;
  let folded = 0;
  const { normalize } = String.prototype;
  vi.spyOn(String.prototype, "normalize").mockImplementation(function (this: string, form?: string) {
    folded += this.length;
    return normalize.call(this, form);
  });
  answerOn(markdown, "How much does the Falcon cost?");
  vi.restoreAllMocks();
  expect(folded).toBeLessThan(10 * markdown.length);
});

describe("an amount of what an earlier sentence names", () => {
  const MEADOW = `# Sowing a meadow

A seagrass seed is as large as a grain of rice. It falls in August. On the flats south of the mole, two hundred thousand of them wait.

Sixty volunteers filled the pouches.`;

  test("belongs to the noun of its paragraph", () => {
    expect(answerOn(MEADOW, "How many seeds are lying on the flats south of the mole?", "Meadow")).toBe(
      "two hundred thousand",
    );
  });

  test("is not an amount of another noun", () => {
    expect(answerOn(MEADOW, "How many pouches are lying on the flats south of the mole?", "Meadow")).toBeUndefined();
  });
});

test("structured data comes before text", () => {
  const html = `<html><head><title>Falcon kettle</title><script type="application/ld+json">
    {"@type":"Product","name":"Falcon kettle","brand":"Hob","offers":{"@type":"Offer","price":"49.00","priceCurrency":"GBP",
    "availability":"https://schema.org/InStock"}}</script></head>
    <body><h1>Falcon kettle</h1><p>Delivery costs £3.00.</p></body></html>`;
  const data = readStructuredData(openHtml(html, "https://shop.example/falcon"));
  const page = { title: "Falcon kettle", markdown: "# Falcon kettle\n\nDelivery costs £3.00.", data };
  const valueOf = (text: string): string | undefined => findAnswer(readQuestion(text), page)?.value;
  expect(valueOf("What is the price?")).toBe("49.00 GBP");
  expect(valueOf("Is it in stock?")).toBe("Yes");
  expect(valueOf("Which brand is it?")).toBe("Hob");
  expect(valueOf("How much is delivery?")).toBe("£3.00");
});

describe("readQuestion", () => {
  test.each([
    ["What is this page about?", "summary"],
    ["Worum geht es auf dieser Seite?", "summary"],
    ["De quoi parle cet article ?", "summary"],
    ["¿De qué trata esta página?", "summary"],
    ["What is the price?", "price"],
    ["Combien coûte ce vélo ?", "price"],
    ["Wann wurde der Artikel veröffentlicht?", "date"],
    ["Could you tell me who wrote this?", "name"],
    ["How many employees does it have?", "number"],
    ["Is it waterproof?", "yes-no"],
    ["Gibt es einen Parkplatz?", "yes-no"],
    ["Why is the sky blue?", "passage"],
  ])("%s asks for a %s", (question, kind) => {
    expect(readQuestion(question).kind).toBe(kind);
  });
});
