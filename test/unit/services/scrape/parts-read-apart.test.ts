import { expect, test } from "vitest";
import { uniqueParts } from "../../../../src/content/page-parts.ts";
import { openPage, type PageReader } from "../../../../src/content/page-view.ts";
import { readPart } from "../../../../src/content/read-part.ts";
import { runTextTaskHere, type RunTextTask } from "../../../../src/content/text-tasks/text-tasks.ts";
import type { LoadedPage } from "../../../../src/core/scrape/page.ts";
import { FORMATS } from "../../../../src/formats/index.ts";
import { ScrapeOptions } from "../../../../src/formats/scrape-options.ts";
import type { LanguageModel } from "../../../../src/ports/language-model.ts";
import { deriveDocument } from "../../../../src/services/scrape/derive-document.ts";
import { toIndexedPage } from "../../../../src/services/scrape/index-pages.ts";
import { redactionOf } from "../../../../src/services/scrape/redact-document.ts";
import { planScrape } from "../../../../src/services/scrape/scrape-plan.ts";
import { memoryFiles } from "../../../fakes/memory/memory-scrapes.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

const URL_OF_PAGE = "https://a.example/";
const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==";
const BODY = `<title>Ferry of eva@a.example</title><main><h1>Ferry</h1><p>The ferry of eva@a.example leaves at nine, a ticket costs
$4.50.</p><img src="${PIXEL}" alt="The quay"><p>Opening hours: nine to five</p><a href="/quay">The quay</a></main>`;
const schema = { type: "object", properties: { price: { type: "string" } } };

/** Requests for each format, with the options that change what it reads. */
const REQUESTS = [
  ["markdown"], ["html"], ["rawHtml"], ["links"], ["images"], ["links", "markdown"],
  [{ type: "attributes", selectors: [{ selector: "img", attribute: "alt" }] }],
  [{ type: "json", schema }], [{ type: "json", prompt: "the price" }], [{ type: "json", schema, evidence: true }],
  [{ type: "json", schema, checkPromptInjection: true }],
  [{ type: "deterministicJson", schema }], [{ type: "deterministicJson", schema, evidence: true }],
  ["summary"], ["chunks"], [{ type: "question", question: "What does a ticket cost?" }],
  [{ type: "highlights", query: "opening hours" }], [{ type: "query", prompt: "opening hours" }],
  [{ type: "query", prompt: "opening hours", mode: "directQuote" }],
  ["product"], [{ type: "product", evidence: true }], ["menu"], [{ type: "menu", evidence: true }],
  ["markdown", { type: "changeTracking", modes: ["json", "git-diff"] }],
  ["markdown", { type: "changeTracking", modes: ["json"], schema }],
]; // prettier-ignore
/** Formats that read no text: they take bytes, what a browser brings, or nothing at all. */
const WITHOUT_TEXT = ["rawBase64", "screenshot", "branding", "audio", "video"];

const SWITCHES = [{ removeBase64Images: false }, { onlyCleanContent: true, checkPromptInjection: true }];

/** Reads the parts of a page as another isolate does. */
const readApart: PageReader = async ({ loaded, open: { clean, pdf, bytesOnly, ...open } }) => {
  const parts = uniqueParts([{ name: "facts" }, { name: "metadata" }, ...(open.parts ?? [])]);
  const view = await openPage(loaded, { clean, pdf, bytesOnly });
  const values = parts.map((part) => readPart(view, part) ?? null);
  return { document: undefined, isStreamed: false, warnings: [], parts, values };
};

/** Finds what is asked for: the text that rules do not find. */
const model: LanguageModel = {
  contextTokens: 30_000,
  generateText: async () => ({ text: "Nine.", usage: { inputTokens: 1, outputTokens: 1 } }),
  generateObject: async () => ({
    value: { data: { price: "$4.50", name: "Ferry" }, drop: [1], passages: [1], passage: null },
    usage: { inputTokens: 1, outputTokens: 1 },
  }),
} as unknown as LanguageModel;

/** Returns the steps of a page's budget that are taken after its parts were read in another isolate. */
async function stepsHere(options: object, llm: LanguageModel | undefined): Promise<number> {
  const plan = planScrape(URL_OF_PAGE, ScrapeOptions.parse(options));
  const loaded: LoadedPage = {
    engine: "fetch",
    url: URL_OF_PAGE,
    statusCode: 200,
    headers: {},
    contentType: "text/html",
    body: BODY,
    warnings: [],
  };
  const view = await openPage(loaded, { ...plan.open, readApart });
  const before = view.budget.steps;
  // Tasks on large texts run in another isolate.
  const runTask: RunTextTask = (name, input) => runTextTaskHere(name, input);
  const redaction = await redactionOf(plan, view, runTask);
  const page = { view, attempts: [], obstacle: undefined, cacheState: undefined };
  const deps = testDeps({ files: memoryFiles(), ...(llm === undefined ? {} : { llm }) });
  const document = await deriveDocument(deps, page, {
    id: "1",
    plan,
    request: { url: URL_OF_PAGE, publicOrigin: "https://api.example", zeroDataRetention: false },
    owner: { teamId: "t", keyId: "k" } as never,
    redaction,
    runTask,
    creditsUsed: 1,
    createdAtMs: Date.now(),
  });
  const shown = { ...page, view: redaction?.view ?? view };
  toIndexedPage(shown, { url: URL_OF_PAGE, markdown: document.markdown, scrapeId: "1", nowMs: 1 });
  return view.budget.steps - before;
}

test("every format that reads a page's text is requested here", () => {
  const requested = REQUESTS.flat().map((format) => (typeof format === "string" ? format : format.type));
  expect([...new Set([...requested, ...WITHOUT_TEXT])].toSorted()).toEqual(FORMATS.map(({ type }) => type).toSorted());
});

test.each([
  { redactPII: false, llm: undefined },
  { redactPII: true, llm: undefined },
  { redactPII: false, llm: model },
  { redactPII: true, llm: model },
])(
  "no format reads or redacts here what another isolate was not asked for (redactPII $redactPII, $llm)",
  async ({ redactPII, llm }) => {
    const unread: object[] = [];
    for (const formats of REQUESTS) {
      for (const switches of SWITCHES) {
        const options = { formats, redactPII, ...switches };
        if ((await stepsHere(options, llm)) > 0) unread.push(options);
      }
    }
    expect(unread).toEqual([]);
  },
);
