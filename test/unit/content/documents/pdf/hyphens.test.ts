import { expect, test } from "vitest";
import { readPdf } from "../../../../../src/content/documents/pdf/pdf.ts";
import { madePdf } from "./made-pdf.ts";

const read = async (lines: readonly string[]): Promise<string> => {
  const texts = lines.map((text, at) => ({ text, x: 72, y: 60 + at * 12 }));
  return (await readPdf(madePdf([{ texts }]), "https://example.com/a.pdf")).markdown;
};
const PLAIN = Array.from({ length: 22 }, () => "the boats of the town bring the fish of the known green waters");

test("a text whose lines divide no words keeps the hyphen of a compound at an end", async () => {
  const end = ["they fish in the wide and deep waters and in blue-", "green ones of the town, with boats that are old"];
  expect(await read([...PLAIN.slice(0, 11), ...end, ...PLAIN.slice(11)])).toContain("in blue-green ones");
  expect(await read(end)).toContain("in bluegreen ones");
});

test("a text that divides its words keeps the hyphens of known kinds of compounds alone", async () => {
  const divided = PLAIN.flatMap((line, at) =>
    at % 4 === 0 ? [`${line} and the har-`, `bour of the harbour ${line}`] : [line],
  );
  const markdown = await read([
    ...divided.slice(0, 12),
    "they came for the green-water fish and took some infor-",
    "mation of a well-",
    "known place and its blue-",
    "water boats, with some-",
    "times a self-",
    "less man, state-of-the-",
    "art lamps, and a town-",
    "based office, of a high well-",
    "ness of twenty-",
    "three thirty-",
    "first boats of seven-",
    "teen",
    ...divided.slice(12),
  ]);
  expect(markdown).toContain("of twenty-three thirty-first boats of seventeen");
  expect(markdown).toContain(
    "some information of a well-known place and its bluewater boats, with sometimes a selfless man",
  );
  expect(markdown).toContain("man, state-of-the-art lamps, and a town-based office, of a high wellness");
});

test("parts that compounds of the text have too are a compound, where both are words", async () => {
  const divided = PLAIN.flatMap((line, at) =>
    at % 4 === 0 ? [`${line} and the har-`, `bour of the harbour ${line}`] : [line],
  );
  const markdown = await read([
    ...divided,
    "the sea-water fish and the rain-soaked boats of the sea in the rain-",
    "water or a sea-",
    "dog of the deep",
  ]);
  expect(markdown).toContain("in the rainwater or a seadog of the deep");
  const known = await read([
    ...divided,
    "the sea-water fish and the rain-soaked boats of the sea in the rain that water made",
    "brought, the rain-",
    "water of the deep",
  ]);
  expect(known).toContain("brought, the rain-water of the deep");
});

test("a hyphen that programs write divides a word, whatever the text divides", async () => {
  const markdown = await read([...PLAIN, "they went to the green\u2010", "house of the town"]);
  expect(markdown).toContain("to the greenhouse of the town");
});

test("an address keeps its hyphen at the end of a line", async () => {
  const markdown = await read([
    "They wrote the report at https://example.com/annual-",
    "report/first-quarter.html and sent it to jean-",
    "pierre@example.org and to www.exam-",
    "ple.org for all infor-",
    "mation of the town",
  ]);
  expect(markdown).toContain("https://example.com/annual-report/first-quarter.html");
  expect(markdown).toContain("jean-pierre@example.org");
  expect(markdown).toContain("www.exam-ple.org for all information of");
});

test("a hyphen before a conjunction stands for the rest of a compound", async () => {
  const markdown = await read([
    "Die Schulen bieten Haupt-",
    "und Nebenfächer, sowie kurz-",
    "oder langfristige Kurse, deren Inhal-",
    "te sich mit den pre-",
    "or post-war and 10-",
    "to twenty-year boats and with the pota-",
    "to of the thous-",
    "and fields and a thousand more",
  ]);
  expect(markdown).toContain("Haupt- und Nebenfächer, sowie kurz- oder langfristige Kurse, deren Inhalte");
  expect(markdown).toContain(
    "pre- or post-war and 10- to twenty-year boats and with the potato of the thousand fields",
  );
});
