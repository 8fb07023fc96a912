import type { ChangeHistory } from "../../../../src/ports/storage/change-history.ts";
import { createChangeHistory } from "../../../../src/storage/scrape/change-history.ts";
import { memoryBlobs } from "../../../fakes/memory/memory-blobs.ts";
import { nodeD1 } from "../../../fakes/memory/node-d1.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ScrapeDocument } from "../../../../src/core/scrape/document.ts";
import { sha256Hex } from "../../../../src/core/text/hash.ts";
import { Meter } from "../../../../src/core/account/meter.ts";
import type { LoadedPage } from "../../../../src/core/scrape/page.ts";
import { ScrapeOptions } from "../../../../src/formats/scrape-options.ts";
import type { LanguageModel } from "../../../../src/ports/language-model.ts";
import type { IndexedPage } from "../../../../src/ports/search/page-index.ts";
import { anonymousCaller } from "../../../../src/services/account/anonymous-caller.ts";
import { estimateCredits } from "../../../../src/services/scrape/scrape-credits.ts";
import { scrapePage } from "../../../../src/services/scrape/scrape-page.ts";
import { V2_DEFAULTS } from "../../../../src/services/scrape/scrape-plan.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";
import { memoryKeyLedger } from "../../../fakes/memory/memory-key-ledger.ts";
import { emptyPageCache, memoryFiles, memoryScrapes } from "../../../fakes/memory/memory-scrapes.ts";
import { startScriptedModel, type ScriptedModel } from "../../../fakes/upstream/scripted-model.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";
import { writeDown } from "../../../fakes/write-down.ts";
import { tinyPdf } from "../../../fakes/tiny-pdf.ts";
import { modelAt } from "../../formats/page.ts";

let server: ScriptedModel;
beforeAll(async () => {
  server = await startScriptedModel(["ok"]);
});
afterAll(() => server.close());

interface Scraping {
  options: object;
  page: Partial<LoadedPage>;
  llm?: LanguageModel;
  clientLeft?: AbortSignal;
  apiVersion?: "v1" | "v2";
  changeHistory?: ChangeHistory;
}

/** Scrapes one page for a key with a hundred credits. */
async function scrape({ options, page, llm, clientLeft, apiVersion = "v2", changeHistory }: Scraping) {
  const clock = fixedClock(Date.now());
  const meter = new Meter();
  const keyLedger = memoryKeyLedger(clock, meter);
  const indexed: IndexedPage[] = [];
  const loaded: LoadedPage = {
    engine: "fetch",
    url: "https://a.example/",
    statusCode: 200,
    headers: {},
    contentType: "text/html",
    body: "",
    warnings: [],
    ...page,
  };
  const deferred: Promise<unknown>[] = [];
  const deps = testDeps({
    clock,
    meter,
    keyLedger,
    scrapes: memoryScrapes(),
    pageCache: emptyPageCache(),
    files: memoryFiles(),
    pageIndex: {
      async put(_team, pages) {
        indexed.push(...pages);
        return { refused: 0 };
      },
      confirm: async () => ({ refused: 0 }),
      search: async () => [],
      size: async () => ({ pages: indexed.length, bytes: 0, shards: 1, isFull: false }),
    },
    engines: [{ engine: "fetch", provides: new Set(), load: async () => ({ kind: "loaded", page: loaded }) }],
    defer: (work) => void deferred.push(work),
    settings: { creditsPerMonth: 100 },
    ...(llm === undefined ? {} : { llm }),
    ...(changeHistory === undefined ? {} : { changeHistory }),
    clientLeft,
  });
  const caller = anonymousCaller();
  const request = {
    url: "https://a.example/",
    options: ScrapeOptions.parse(options),
    defaults: V2_DEFAULTS,
    apiVersion,
    zeroDataRetention: false,
    publicOrigin: "https://api.example",
  };
  const credits = estimateCredits(request);
  await keyLedger.admit(caller.key.id, { mode: "scrape", limit: 100, credits, monthlyCredits: 100, holdId: "h" });
  const payer = { ...caller, creditSource: { kind: "hold" as const, holdId: "h" } };
  const { json } = await scrapePage(deps, payer, request);
  await Promise.all(deferred);
  await writeDown(deps, { keyId: caller.key.id, holdId: "h" });
  const { creditsUsed } = await keyLedger.usage(caller.key.id);
  return { document: JSON.parse(json) as ScrapeDocument, creditsUsed, indexed };
}

describe("onlyCleanContent", () => {
  const BLOCKS = [
    "<h1>Ferry</h1>",
    "<p>Subscribe to our letter for news of the harbour and of the ferry.</p>",
    "<p>The ferry leaves at nine from the old quay, and it carries forty people and their bicycles.</p>",
    "<p>Subscribe to our letter for news of the harbour and of the ferry.</p>",
    "<p>The ferry leaves at nine from the old quay, and it carries forty people and their bicycles.</p>",
    "<p>A ticket costs four pounds for grown-ups, and nothing for children under five years of age.</p>",
  ];
  const page = { body: `<title>Ferry</title><main>${BLOCKS.join("")}</main>` };
  const schema = { type: "object", properties: { hour: { type: "string" }, price: { type: "string" } } };
  const answer = {
    data: { hour: "nine", price: "four pounds" },
    evidence: [
      { field: "hour", quote: "leaves at nine" },
      { field: "price", quote: "A ticket costs four pounds" },
    ],
  };

  test("leaves every quote where the evidence says that it stands, with blocks that repeat", async () => {
    server.script(({ said }) => {
      const clutter = [...said.matchAll(/\[(\d+)\] Subscribe/g)].map(([, number]) => Number(number));
      return said.includes("numbered blocks") ? { json: { drop: clutter } } : { json: answer };
    });
    server.requests.length = 0;
    const formats = ["markdown", { type: "json", schema, evidence: true }];
    const options = { formats, onlyCleanContent: true, onlyMainContent: false };
    const { document } = await scrape({ options, page, llm: modelAt(server) });
    const { markdown = "", evidence = [] } = document;
    expect(markdown).not.toContain("Subscribe");
    expect(markdown.match(/leaves at nine/g)).toHaveLength(2);
    expect(evidence.map(({ field, quote }) => [field, quote])).toEqual([
      ["hour", "leaves at nine"],
      ["price", "A ticket costs four pounds"],
    ]);
    for (const { quote, place, textHash } of evidence) {
      expect(place?.in).toBe("markdown");
      expect(markdown.slice(place?.start, place?.end)).toBe(quote);
      expect(textHash).toBe(await sha256Hex(markdown));
    }
    // What was taken out is not handed to the model either.
    expect(server.requests.at(-1)?.said).not.toContain("Subscribe");
  });

  test("is no change of the page", async () => {
    let turn = 0;
    server.script(() => ({ json: { drop: [++turn] } }));
    const options = { formats: ["markdown", "changeTracking"], onlyCleanContent: true };
    const { document } = await scrape({ options, page, llm: modelAt(server) });
    expect(document.changeTracking?.changeStatus).toBe("new");
    expect(document.markdown).not.toContain("# Ferry");
  });

  test("leaves the markdown and the quotes alone when the model fails", async () => {
    server.script([{ status: 500 }]);
    const options = { formats: ["markdown", { type: "json", schema }], onlyCleanContent: true };
    const { document } = await scrape({ options, page, llm: modelAt(server) });
    expect(document.markdown).toContain("Subscribe");
    expect(document.warning).toContain("onlyCleanContent: The language model did not answer");
  });

  test("answers by rules from what is left when the model fails, and never from what redaction removed", async () => {
    server.script(({ said }) => (said.includes("numbered blocks") ? { json: { drop: [1] } } : { status: 500 }));
    const office = `<html lang="de-DE"><script type="application/ld+json">{"@type":"Organization","name":"Office","telephone":"0301234567"}</script>
      <main><p>Subscribe to our letter for news of the harbour.</p><h1>Office</h1><p>Telefon: 0301234567</p><p>The office opens at ten.</p></main>`;
    const formats = ["markdown", { type: "question", question: "Telefon?" }];
    const options = { formats, onlyCleanContent: true, onlyMainContent: false };
    const read = async (redactPII: boolean) =>
      (await scrape({ options: { ...options, redactPII }, page: { body: office }, llm: modelAt(server) })).document;
    expect((await read(false)).answer).toContain("0301234567");
    expect((await read(true)).answer).not.toContain("0301234567");
  });
});

describe("formats of one field", () => {
  const page = { body: `<main><h1>Kettle</h1><p>Price: £5</p><p>Weight: 2 kg</p><a id="a" href="/b">b</a></main>` };

  test("give the result of the last, which alone is paid, with a warning", async () => {
    const formats = [
      { type: "question", question: "What is the weight?" },
      { type: "query", prompt: "What is the price?" },
      "links",
      "links",
    ];
    const { document, creditsUsed } = await scrape({ options: { formats }, page });
    expect(document.answer).toContain("£5");
    expect(document.warning).toContain("answer: several formats answer in this field");
    expect(document.warning).not.toContain("links:");
    expect([creditsUsed, document.metadata.creditsUsed]).toEqual([5, 5]);
  });

  test("are one list of values for attributes", async () => {
    const wanted = ["href", "id"].map((attribute) => ({ selector: "a", attribute }));
    const formats = wanted.map((selector) => ({ type: "attributes", selectors: [selector] }));
    const { document } = await scrape({ options: { formats }, page });
    expect(document.attributes?.map(({ values }) => values)).toEqual([["/b"], ["a"]]);
    expect(document.warning).toBeUndefined();
  });
});

describe("redactPII", () => {
  const LINES = [
    "Write to ada@harbour.example for the keys.",
    "Or call +44 20 7946 0958 in the evening.",
    "The account is DE89 3704 0044 0532 0130 00 at the bank.",
  ];
  const pdf = { body: tinyPdf(LINES), contentType: "application/pdf", url: "https://a.example/contacts.pdf" };

  test.each([
    { pages: 1, redactPII: true, credits: 5 },
    { pages: 3, redactPII: true, credits: 15 },
    { pages: 3, redactPII: { replaceStyle: "mask" }, credits: 15 },
    { pages: 3, redactPII: false, credits: 3 },
  ])("of a PDF with $pages pages costs $credits credits ($redactPII)", async ({ pages, redactPII, credits }) => {
    const page = { ...pdf, body: tinyPdf(LINES.slice(0, pages)) };
    const { document, creditsUsed } = await scrape({ options: { redactPII }, page });
    expect(document.metadata).toMatchObject({ numPages: pages, creditsUsed: credits });
    expect(creditsUsed).toBe(credits);
  });

  test("of a PDF reaches its text, its pages and its evidence", async () => {
    const schema = { type: "object", properties: { account: { type: "string" } } };
    const formats = ["markdown", "html", { type: "json", schema, evidence: true }];
    const options = { formats, redactPII: true, parsers: [{ type: "pdf", pages: true }] };
    const body = tinyPdf([...LINES.slice(0, 2), "Account: DE89 3704 0044 0532 0130 00"]);
    const { document, indexed } = await scrape({ options, page: { ...pdf, body } });
    expect(document.markdown).toMatch(/Write to \[EMAIL\][^]*call \[PHONE\][^]*Account: \[FINANCIAL\]/);
    expect(document.pages).toHaveLength(3);
    expect(document.evidence).toMatchObject([{ field: "account", quote: expect.stringContaining("[FINANCIAL]") }]);
    const everything = JSON.stringify([document, indexed]);
    for (const told of ["ada@harbour", "7946", "3704"]) expect(everything).not.toContain(told);
  });

  test("keeps what it takes out from the model, and from what can be searched", async () => {
    const said: string[] = [];
    server.script((request) => {
      said.push(request.said);
      return { json: { data: { contact: "[EMAIL]" } } };
    });
    const body = `<title>Ada Lovelace, ada@harbour.example</title><script type="application/ld+json">
      {"@type":"Organization","name":"Harbour","email":"ada@harbour.example"}</script>
      <main><h1>Harbour</h1><p>Write to ada@harbour.example for the keys of the boat house and of the shed.</p></main>`;
    const schema = { type: "object", properties: { contact: { type: "string" }, email: { type: "string" } } };
    const options = { formats: [{ type: "json", schema, evidence: true }], redactPII: true };
    const { document, indexed } = await scrape({ options, page: { body }, llm: modelAt(server) });
    expect(said).toHaveLength(1);
    expect(indexed).toHaveLength(1);
    expect(JSON.stringify([document, indexed, said])).not.toContain("ada@harbour");
    expect(document.json).toMatchObject({ contact: "[EMAIL]" });
  });
});

test.each([
  { proxyUsed: undefined, shown: { proxyUsed: "basic" } },
  { proxyUsed: "stealth", shown: { proxyUsed: "stealth" } },
  { proxyUsed: "relay", shown: { proxyUsed: "basic", egressRoute: "relay" } },
])("a page of the route $proxyUsed has a kind of proxy that clients know", async ({ proxyUsed, shown }) => {
  const page = { body: "<h1>Ferry</h1>", ...(proxyUsed === undefined ? {} : { proxyUsed }) };
  const { metadata } = (await scrape({ options: {}, page })).document;
  expect({ proxyUsed: metadata.proxyUsed, egressRoute: metadata.egressRoute }).toEqual(shown);
});

describe("outputs of actions", () => {
  const nothing = { screenshots: [], scrapes: [], javascriptReturns: [], pdfs: [] };
  const javascriptReturns = [{ type: "number", value: 1 }];
  const body = "<h1>Ferry</h1>";

  test.each([
    { apiVersion: "v1" as const, actions: { javascriptReturns, screenshots: [], pdfs: [] } },
    { apiVersion: "v2" as const, actions: { javascriptReturns } },
  ])("of $apiVersion have the lists that its clients need", async ({ apiVersion, actions }) => {
    const page = { body, actions: { ...nothing, javascriptReturns } };
    expect((await scrape({ options: {}, page, apiVersion })).document.actions).toEqual(actions);
    const none = await scrape({ options: {}, page: { body, actions: nothing }, apiVersion });
    expect(none.document).not.toHaveProperty("actions");
  });
});

describe("selectors for a document that is not HTML", () => {
  const JSON_FILE = { contentType: "application/json", body: new TextEncoder().encode('{"a": 1}') };
  const NOT_APPLIED = (name: string): string =>
    `${name}: it selects elements of HTML pages, and this is another kind of document.`;

  test.each([
    { page: JSON_FILE, options: { includeTags: ["article"] }, warning: NOT_APPLIED("includeTags") },
    {
      page: { contentType: "application/pdf", body: tinyPdf(["A bell."]) },
      options: { excludeTags: ["nav"], formats: ["html"] },
      warning: NOT_APPLIED("excludeTags"),
    },
    { page: JSON_FILE, options: { includeTags: ["a"], formats: ["rawBase64"] }, warning: undefined },
    { page: JSON_FILE, options: {}, warning: undefined },
    { page: { body: "<p>A bell." }, options: { excludeTags: ["nav"] }, warning: undefined },
  ])("are named in the warning ($page.contentType, $options)", async ({ page, options, warning }) => {
    const { document } = await scrape({ options, page });
    expect(document.warning).toBe(warning);
  });
});

test("the model's work on a page ends when its client leaves", async () => {
  const client = new AbortController();
  const signals: (AbortSignal | undefined)[] = [];
  const generateText: LanguageModel["generateText"] = async ({ signal }) => {
    signals.push(signal);
    client.abort(new Error("The client has left"));
    signal?.throwIfAborted();
    return { text: "A summary", usage: { inputTokens: 1, outputTokens: 1 } };
  };
  const llm: LanguageModel = { ...modelAt(server), generateText };
  const page = { body: `<p>${"The ferry leaves at nine. ".repeat(20)}</p>` };
  const scraping = scrape({ options: { formats: ["summary"] }, page, llm, clientLeft: client.signal });
  await expect(scraping).rejects.toThrow("The client has left");
  expect(signals).toEqual([client.signal]);
});

test.each([503, 520, 300])("no model reads a page with status %s, which costs nothing", async (statusCode) => {
  let calls = 0;
  const call = async () => (calls++, { text: "A summary", usage: { inputTokens: 1, outputTokens: 1 } });
  const llm = { ...modelAt(server), generateText: call, generateObject: call } as unknown as LanguageModel;
  const page = { statusCode, body: `<p>${"The ferry leaves at nine. ".repeat(20)}</p>` };
  const formats = ["summary", { type: "json", prompt: "When does the ferry leave?" }];
  const { document, creditsUsed } = await scrape({ options: { formats, checkPromptInjection: true }, page, llm });
  expect([calls, creditsUsed, document.metadata.creditsUsed]).toEqual([0, 0, 0]);
  for (const name of ["summary", "json", "checkPromptInjection"])
    expect(document.warning).toContain(`${name}: no model reads a page that costs no credit; `);
});

test("the first pages of a PDF that costs nothing are read", async () => {
  const body = tinyPdf(Array.from({ length: 12 }, (_, place) => `Page ${place + 1} of the book`));
  const page = { statusCode: 503, body, contentType: "application/pdf" };
  const { document } = await scrape({ options: {}, page });
  expect(document.metadata).toMatchObject({ numPages: 10, totalPages: 12, creditsUsed: 0 });
  expect(document.warning).toContain("Only 10 of 12 pages were read, since a page with the status 503 costs nothing.");
  const asked = await scrape({ options: { parsers: [{ type: "pdf", maxPages: 3 }] }, page });
  expect(asked.document.metadata.numPages).toBe(3);
  expect(asked.document.warning ?? "").not.toContain("pages were read");
});

test("a PDF that the credits do not pay for is refused when its pages are counted", async () => {
  const pdf = (pages: number) => ({ body: tinyPdf(Array(pages).fill("Harbour")), contentType: "application/pdf" });
  const message = expect.stringContaining("101 pages of the PDF are to be read, and the key has credits for 100");
  const refused = scrape({ options: {}, page: pdf(101) });
  await expect(refused).rejects.toMatchObject({ code: "INSUFFICIENT_CREDITS", message });
  expect((await scrape({ options: {}, page: pdf(100) })).creditsUsed).toBe(100);
  const redacted = scrape({ options: { redactPII: true }, page: pdf(21) });
  await expect(redacted).rejects.toMatchObject({ message: expect.stringContaining("credits for 20") });
  const options = { parsers: [{ type: "pdf", maxPages: 2 }] };
  expect((await scrape({ options, page: pdf(101) })).creditsUsed).toBe(2);
});

test("a scrape that fails leaves the change of its page to the next one", async () => {
  const changeHistory = createChangeHistory(nodeD1(), memoryBlobs());
  const fail = async (): Promise<never> => {
    throw new TypeError("broken");
  };
  const llm = {
    names: { large: "m", small: "m" },
    contextTokens: 10_000,
    generateText: fail,
    generateObject: fail,
    step: fail,
  };
  const page = { body: "<main><h1>Ferry</h1><p>The ferry leaves at nine from the old quay.</p></main>" };
  const options = { formats: ["markdown", "changeTracking", "summary"] };
  await expect(scrape({ options, page, llm, changeHistory })).rejects.toThrow("broken");
  const { document } = await scrape({ options: { formats: ["markdown", "changeTracking"] }, page, changeHistory });
  expect(document.changeTracking?.changeStatus).toBe("new");
});
