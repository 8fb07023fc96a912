/**
 * Texts of pages and callers that make expressions backtrack. Expressions count no steps, so their processor time is measured.
 * At this size each of them took 3 to 60 s where the work was quadratic; linear work takes less than 0.2 s.
 */
import { describe, expect, test } from "vitest";
import { answerByRules } from "../../../src/content/answers/answer-by-rules.ts";
import { readMarkdownFacts } from "../../../src/content/answers/markdown-facts.ts";
import { selectsFrames } from "../../../src/content/main-content/clean.ts";
import { decodeBody } from "../../../src/content/text/charset.ts";
import { fencedBlock } from "../../../src/content/documents/html/fenced-block.ts";
import { readFeed } from "../../../src/content/documents/text/feed.ts";
import { readWrittenMenu } from "../../../src/content/structured-data/products/written-menu.ts";
import { redactPii, RULED_ENTITIES } from "../../../src/content/text/pii/redact-pii.ts";
import { redact } from "../../../src/core/text/redact.ts";
import { WorkBudget } from "../../../src/core/work-budget.ts";
import { parseRobots, isAllowed } from "../../../src/content/crawling/robots.ts";
import { bestPassages, splitSentences } from "../../../src/content/text/passages.ts";
import { plainText } from "../../../src/content/text/plain-text.ts";
import { findPromptInjection } from "../../../src/content/text/prompt-injection.ts";
import { parseSrcset } from "../../../src/content/html/resolve-url.ts";
import { readDate } from "../../../src/content/structured-data/dates.ts";
import { convert } from "../../../src/content/structured-data/schema/convert.ts";
import { textFact } from "../../../src/content/structured-data/facts.ts";
import { trimLabel } from "../../../src/content/structured-data/sources/labelled-text.ts";
import { labelOf } from "../../../src/content/structured-data/sources/labels.ts";
import { readDurationSeconds } from "../../../src/content/structured-data/schema/values.ts";
import { centralPassages } from "../../../src/content/text/summarise.ts";
import { requestedFields } from "../../../src/content/structured-data/schema/requested-fields.ts";
import { compilePatterns } from "../../../src/core/text/safe-pattern.ts";
import { parseSearchQuery } from "../../../src/core/search/search-query.ts";
import { isShort, sampleCount, sampleOf, shortAndLong } from "../../sample.ts";
import { given } from "../../fakes/given.ts";
import { processorMs } from "../../processor-time.ts";

const SIZE = 100_000;
/** Of a slow machine; what grows with the square of the text takes many times as long. */
const MAX_MS = 5_000;
/** For a million characters, which linear work takes half a second for. With `LONG_TESTS=1` there are three million. */
const LARGE_SIZE = sampleCount(1_000_000, 1_000_000, 3_000_000);
const MAX_LARGE_MS = LARGE_SIZE / 300;
const LOCALE = { language: "en" };

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

const READERS: Record<string, (text: string) => unknown> = {
  plainText,
  splitSentences,
  bestPassages: (text) => bestPassages(text, "word x", { count: 3, maxChars: 300 }),
  centralPassages: (text) => centralPassages(text, "a", { count: 3, maxChars: 300 }),
  "facts of a markdown text": (text) => readMarkdownFacts({ title: "", markdown: text }),
  "an answer from a text": (text) =>
    answerByRules({ url: "", title: "", text, description: "", data: undefined }, "What does x cost?", new WorkBudget()),
  "frames of a selector": selectsFrames,
  findPromptInjection,
  parseSrcset,
  readDate: (text) => readDate(text, LOCALE),
  trimLabel,
  labelOf,
  readDurationSeconds: (text) => readDurationSeconds(text, LOCALE),
  email: (text) =>
    convert(
      textFact(text),
      { label: labelOf("email"), shape: { kind: "string", hints: { title: "", description: "", format: "email", choices: [] } } },
      { locale: LOCALE, baseUrl: "https://a.example/", source: "text" },
    ),
  requestedFields,
  parseSearchQuery,
  fencedBlock: (text) => fencedBlock(text, ""),
  "titles and texts of a feed": (text) =>
    readFeed(
      bytesOf(`<rss><channel><title><![CDATA[${text}]]></title><item><description><![CDATA[${text}]]></description><pubDate><![CDATA[${text}]]></pubDate></item></channel></rss>`),
      "application/rss+xml",
      new WorkBudget(),
    ),
  "encoding of a page": (text) => decodeBody(Uint8Array.from([0xe9, ...bytesOf(text)]), "text/html"),
  "a written menu": (text) => readWrittenMenu({ markdown: `${text}\n# ${text}`, title: text, url: "https://a.example/", facts: { sections: [], language: "en" } }),
  redactPii: (text) => redactPii(text, { entities: RULED_ENTITIES, replaceStyle: "tag", country: "US" }),
  "a line of the log": (text) => redact(`Unexpected token ${text} https://a.example/${text}`),
  robots: (text) => isAllowed(parseRobots(`User-agent: *\nDisallow: /${text}$`), `https://a.example/${text}`, "bot"),
}; // prettier-ignore

const PIECES = ["x", " ", "\n", "\t", ".", "...x", "1", "1 ", "1,", "1.", "a@", "a-", "-", "[", "](", "![", "(", "*", "**a ", "`", "~~", ":", ": ", "#", "|", "| - ", "<", "</", "&", "of ", "of the ", "漢", "。", "\\", '"', "a\n\n", "http://", "><", "<script>", "a.", "-----BEGIN PRIVATE KEY-----", "-eyJ", ".eyJ", "1-1"]; // prettier-ignore

/** In the short form, each reader has every third piece, and each piece every third reader. */
const piecesFor = (reader: number): readonly string[] =>
  isShort() ? PIECES.filter((_, piece) => (piece + reader) % 3 === 0) : sampleOf(PIECES, 8);

describe.each(Object.values(READERS).map((read, reader) => ({ name: Object.keys(READERS)[reader], read, reader })))(
  "$name",
  ({ read, reader }) => {
    test("takes time in proportion to the text, whatever it repeats", async () => {
      for (const piece of piecesFor(reader)) {
        const text = `a${piece.repeat(SIZE / piece.length)}\u0001`;
        expect(await processorMs(() => read(text)), piece).toBeLessThan(MAX_MS);
      }
    });
  },
);

/** Texts of a large page that held the service for longer than its watchdog waits. */
const LARGE = [
  { reader: "redactPii", piece: "12 " },
  { reader: "redactPii", piece: "+1" },
  { reader: "redactPii", piece: "(12)" },
  { reader: "redactPii", piece: "555-0123. " },
  { reader: "redactPii", piece: "a 555-012-3456 or " },
  { reader: "bestPassages", piece: "*_`[]()#" },
  { reader: "bestPassages", piece: "x! " },
  { reader: "facts of a markdown text", piece: "[" },
  { reader: "frames of a selector", piece: "[" },
  { reader: "bestPassages", piece: `${"y".repeat(1500)}x\n\n` },
];

const isFirstOfReader = ({ reader }: { reader: string }, at: number): boolean =>
  LARGE.findIndex((other) => other.reader === reader) === at;

for (const { tags, entries } of shortAndLong(sampleOf(LARGE, 3), isFirstOfReader))
  test.each(entries)("$reader reads a million characters of $piece in time", { tags }, async ({ reader, piece }) => {
    const text = piece.repeat(LARGE_SIZE / piece.length);
    expect(await processorMs(() => given(READERS[reader])(text))).toBeLessThan(MAX_LARGE_MS);
  });

const PATTERNS = ["(a+)+$", "((a{1000}){1000}){1000}", "(.*a){900}", `${"(".repeat(450)}a${")".repeat(450)}`];

test.each([...PATTERNS.keys()])("hostile pattern %i is refused or matches in linear time", async (index) => {
  const pattern = given(PATTERNS[index]);
  const match = (): void => {
    try {
      compilePatterns([pattern], "includePaths").findIn(`${"a".repeat(2_000)}!`);
    } catch (error) {
      expect(error).toMatchObject({ code: "BAD_REQUEST" });
    }
  };
  expect(await processorMs(match)).toBeLessThan(MAX_MS);
});
