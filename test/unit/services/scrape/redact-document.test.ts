import { expect, test } from "vitest";
import { openPage } from "../../../../src/content/page-view.ts";
import { INDEXED_TEXT } from "../../../../src/content/page-parts.ts";
import { runTextTaskHere, type RunTextTask } from "../../../../src/content/text-tasks/text-tasks.ts";
import type { ScrapeDocument } from "../../../../src/core/scrape/document.ts";
import { ScrapeOptions } from "../../../../src/formats/scrape-options.ts";
import { redactionOf } from "../../../../src/services/scrape/redact-document.ts";
import { planScrape } from "../../../../src/services/scrape/scrape-plan.ts";

const PAGE_URL = "https://a.example/";
const BODY = `<title>Of max@a.example</title><main>${"<p>Write to eva@a.example about the ferry.</p>".repeat(50)}</main>`;
const OPTIONS = {
  formats: [{ type: "html" as const }, { type: "rawHtml" as const }, { type: "markdown" as const }],
  redactPII: true,
};

test("the texts that formats read are redacted by one task before, and the document by another", async () => {
  const plan = planScrape(PAGE_URL, OPTIONS);
  const view = await openPage(
    {
      engine: "fetch",
      url: PAGE_URL,
      statusCode: 200,
      headers: {},
      contentType: "text/html",
      body: BODY,
      warnings: [],
    },
    plan.open,
  );
  const asked: string[] = [];
  // Its own mark tells the task's texts from those that are redacted when they are read.
  const task = (async (name: string, { texts }: { texts: string[] }) => {
    asked.push(name);
    return texts.map((text) => text.replaceAll(/\w+@a\.example/g, "[TASK]"));
  }) as unknown as RunTextTask;
  const redaction = await redactionOf(plan, view, task);
  const shown = redaction?.view;
  for (const text of [shown?.markdown({ removeBase64Images: true }), shown?.html(), await shown?.rawText()]) {
    expect(text).toContain("Write to [TASK] about");
    expect(text).not.toContain("@a.example");
  }
  expect(shown?.metadata()["title"]).toBe("Of [TASK]");
  const document: ScrapeDocument = {
    markdown: "Call eva@a.example",
    metadata: {
      title: "Of max@a.example",
      sourceURL: "https://a.example/?of=max@a.example",
    } as ScrapeDocument["metadata"],
  };
  await redaction?.apply(document);
  expect(document.markdown).toBe("Call [TASK]");
  expect(document.metadata).toMatchObject({ title: "Of [TASK]", sourceURL: "https://a.example/?of=max@a.example" });
  expect(asked).toEqual(["redact", "redact"]);
});

test("of a text that is longer than the index takes, no more is redacted than the index takes", async () => {
  const plan = planScrape(PAGE_URL, { formats: [{ type: "links" }], redactPII: true, removeBase64Images: false });
  const loaded = { engine: "fetch" as const, url: PAGE_URL, statusCode: 200, headers: {}, contentType: "text/html" };
  const page = await openPage({ ...loaded, body: BODY, warnings: [] }, plan.open);
  const text = `eva@a.example ${"-".repeat(INDEXED_TEXT.maxChars)}`;
  const view = {
    ...page,
    markdown: (asked: { removeBase64Images: boolean }) => (asked.removeBase64Images ? text : ""),
  };
  const lengths: number[] = [];
  const task = (async (_name: string, { texts }: { texts: string[] }) => {
    lengths.push(...texts.map(({ length }) => length));
    return texts.map((one) => one.replace("eva@a.example", "[TASK]"));
  }) as unknown as RunTextTask;
  const redaction = await redactionOf(plan, view, task);
  const before = view.budget.steps;
  expect(redaction?.view.markdown(INDEXED_TEXT).slice(0, 8)).toBe("[TASK] -");
  expect(Math.max(...lengths)).toBe(INDEXED_TEXT.maxChars);
  expect(view.budget.steps).toBe(before);
});

test("a question is answered from the redacted text, where a labelled number still shows that it is one of a telephone", async () => {
  const body = `<html lang="de-DE"><main><h1>Harbour office</h1><p>Telefon: 0301234567</p><p>The office opens at ten.</p></main></html>`;
  const plan = planScrape(PAGE_URL, { formats: [{ type: "question", question: "Telefon?" }], redactPII: true });
  const loaded = { engine: "fetch" as const, url: PAGE_URL, statusCode: 200, headers: {}, contentType: "text/html" };
  const view = await openPage({ ...loaded, body, warnings: [] }, plan.open);
  const asked: string[] = [];
  const task: RunTextTask = (name, ...rest) => {
    asked.push(name);
    return runTextTaskHere(name, ...rest);
  };
  const redaction = await redactionOf(plan, view, task);
  expect(redaction?.view.markdown({ removeBase64Images: true })).not.toContain("0301234567");
  expect((await redaction?.view.answer("Telefon?"))?.text).not.toContain("0301234567");
  expect(redaction?.view.structured).toBeUndefined();
  expect(asked).toEqual(["redact", "answer"]);
});

async function redactionOfPage(options: Parameters<typeof planScrape>[1], { url = PAGE_URL, body = BODY } = {}) {
  const plan = planScrape(url, options);
  const loaded = { engine: "fetch" as const, url, statusCode: 200, headers: {}, contentType: "text/html" };
  const view = await openPage({ ...loaded, body, warnings: [] }, plan.open);
  return await redactionOf(plan, view, runTextTaskHere);
}

test("fields are exempt where they are those of the document, and not where a page or a script has named its own so", async () => {
  const text = "Write to eva@a.example";
  const own = { chunks: [text], screenshot: text, screenshots: [text], pdfs: text, rawBase64: text };
  const url = "https://a.example/files/eva@a.example";
  const document: ScrapeDocument = {
    json: own,
    screenshot: url,
    actions: { screenshots: [url], pdfs: [url], javascriptReturns: [{ type: "object", value: own }] },
    metadata: { sourceURL: PAGE_URL, chunks: text } as ScrapeDocument["metadata"],
  };
  await (await redactionOfPage(OPTIONS))?.apply(document);
  expect(JSON.stringify([document.json, document.actions?.javascriptReturns, document.metadata])).not.toContain("eva@");
  expect(document.screenshot).toBe(url);
  expect(document.actions).toMatchObject({ screenshots: [url], pdfs: [url] });
});

test.each([
  { url: "https://a.io/", isRedacted: true },
  { url: "https://a.co/", isRedacted: true },
  { url: "https://a.example/", isRedacted: true },
  { url: "https://a.com.co/", isRedacted: false },
  { url: "https://a.sg/", isRedacted: false },
])("aggressive mode reads numbers as those of the United States on $url: $isRedacted", async ({ url, isRedacted }) => {
  const body = "<main><p>The office answers (212) 555-0142 until ten.</p></main>";
  const redaction = await redactionOfPage(
    { formats: [{ type: "markdown" }], redactPII: { entities: [], mode: "aggressive", replaceStyle: "tag" } },
    { url, body },
  );
  expect(redaction?.view.markdown({ removeBase64Images: true }).includes("555-0142")).toBe(!isRedacted);
});

test.each([
  { entities: [], words: "e-mail addresses, phone numbers, bank accounts, cards and keys were redacted by rules" },
  { entities: ["PHONE" as const], words: "phone numbers were redacted by rules" },
  {
    entities: ["FINANCIAL" as const, "EMAIL" as const],
    words: "e-mail addresses, bank accounts and cards were redacted by rules",
  },
  { entities: ["PERSON" as const], words: "nothing was redacted by rules" },
])("the warning names what was searched for with the entities $entities", async ({ entities, words }) => {
  const plan = planScrape(PAGE_URL, { redactPII: { entities, mode: "accurate", replaceStyle: "tag" } });
  const loaded = { engine: "fetch" as const, url: PAGE_URL, statusCode: 200, headers: {}, contentType: "text/html" };
  const view = await openPage({ ...loaded, body: BODY, warnings: [] }, plan.open);
  const redaction = await redactionOf(plan, view, runTextTaskHere);
  expect(redaction?.warning).toBe(`redactPII: ${words}; names of people and places, and what pictures show, were not.`);
});

test.each(["us-generic", "us-whitelist"])(
  "numbers are read as those of the United States in the region %s",
  async (country) => {
    const body = "<main><p>The office answers (212) 555-0142 until ten.</p></main>";
    const options = ScrapeOptions.parse({ location: { country }, redactPII: true });
    const redaction = await redactionOfPage(options, { body });
    expect(redaction?.view.markdown({ removeBase64Images: true })).not.toContain("555-0142");
  },
);
