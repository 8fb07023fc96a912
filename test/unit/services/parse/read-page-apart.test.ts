import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FOLLOWED_LINKS, type PagePart } from "../../../../src/content/page-parts.ts";
import { readPageInput, type PageInput } from "../../../../src/content/read-page-input.ts";
import { openPage, type OpenOptions, type PageView } from "../../../../src/content/page-view.ts";
import { SiteTemplate } from "../../../../src/content/main-content/site-template.ts";
import type { LoadedPage } from "../../../../src/core/scrape/page.ts";
import type { CodeEnd, CodeRun } from "../../../../src/core/sessions/code-run.ts";
import type { LogEvent } from "../../../../src/core/text/redact.ts";
import { WorkBudget } from "../../../../src/core/work-budget.ts";
import { FairAdmission } from "../../../../src/core/waits/fair-admission.ts";
import { HeldBytes } from "../../../../src/core/waits/held-bytes.ts";
import { formatFor, FORMATS, type FormatRequest } from "../../../../src/formats/index.ts";
import type { CodeRunner } from "../../../../src/ports/sessions/code-runner.ts";
import { pageReaderOf } from "../../../../src/services/parse/read-page-apart.ts";
import { PAGES_APART } from "../../../../src/services/parse/run-apart.ts";
import { planScrape } from "../../../../src/services/scrape/scrape-plan.ts";
import { shortAndLong } from "../../../sample.ts";
import { picturePdf } from "../../../site/picture-pdf.ts";
import { contextFor } from "../../formats/page.ts";

const DOCX = new Uint8Array(readFileSync(join(import.meta.dirname, "../../../fixtures/documents/sample.docx")));
const URL_OF_PAGE = "https://shop.example/tea";
const OPEN: OpenOptions = {
  clean: { onlyMainContent: true, includeTags: [], excludeTags: [] },
  pdf: undefined,
  bytesOnly: false,
};

function loaded(body: string | Uint8Array, contentType = "text/html; charset=utf-8"): LoadedPage {
  return { engine: "fetch", url: URL_OF_PAGE, statusCode: 200, headers: {}, contentType, body, warnings: [] };
}

/** Opens a page with a scripted runner. */
function openWith(
  run: (run: CodeRun) => Promise<CodeEnd>,
  {
    page,
    open = OPEN,
    log = () => undefined,
  }: { page: LoadedPage; open?: OpenOptions; log?: (event: LogEvent) => void },
): Promise<PageView> {
  const runner: Pick<CodeRunner, "run"> = { run };
  const turns = new FairAdmission({ ...PAGES_APART, isProcessorBusy: () => true });
  const readApart = pageReaderOf(
    { runner, turns, waiting: new HeldBytes(), defer: () => undefined, log },
    { teamId: "t", keyId: "k" },
  );
  return openPage(page, { ...open, readApart });
}

/** A runner that reads as the isolate does; the values cross as JSON. */
async function reading(run: CodeRun): Promise<CodeEnd> {
  return { kind: "done", value: JSON.parse(JSON.stringify(await readPageInput(run.input as PageInput))) as unknown };
}

const refused = (): Promise<CodeEnd> => Promise.reject(new Error("Not asked"));
const docx = () => loaded(DOCX, "application/vnd.openxmlformats-officedocument.wordprocessingml.document");
const NO_FACTS = { title: "", text: "", markup: "", emptyContainers: [] };
const read = (markdown: string, spent = { steps: 1, bytes: 1, cut: [] as string[] }): CodeEnd => {
  const values = [NO_FACTS, {}];
  return { kind: "done", value: { kind: "read", document: { markdown, metadata: {} }, values, warnings: [], spent } };
};

describe("pages that are read apart", () => {
  test("are handed over with what is left of the budget, which then counts what was spent", async () => {
    const budget = new WorkBudget({ steps: 1_000, bytes: 5_000 });
    budget.take(100);
    const runs: CodeRun[] = [];
    const run = (each: CodeRun) => {
      runs.push(each);
      return Promise.resolve(read("# Read", { steps: 300, bytes: 4_000, cut: ["tables"] }));
    };
    const view = await openWith(run, { page: docx(), open: { ...OPEN, budget } });
    expect(view.markdown({ removeBase64Images: true })).toBe("# Read");
    expect(runs[0]).toMatchObject({
      program: "page-reader",
      input: { page: { url: URL_OF_PAGE }, body: DOCX, limits: { steps: 900, bytes: 5_000, timeMs: 20_000 } },
    });
    expect(budget.left).toEqual({ steps: 600, bytes: 1_000 });
    expect(budget.warning).toContain("tables");
  });

  test("and are scans get their text from the service, whose isolate recognises none", async () => {
    const pdf = picturePdf([
      { picture: { bytes: new Uint8Array(100), filter: "JBIG2Decode", width: 900, height: 900 } },
    ]);
    const words = [{ text: "Quay", left: 72, right: 100, confidence: 0.9 }];
    const lines = [{ top: 90, bottom: 102, baseline: 100, size: 12, words }];
    const page = {
      pageNumber: 1,
      width: 595,
      height: 842,
      rotation: 0 as const,
      isBlank: false,
      confidence: 0.9,
      lines,
    };
    const recognise = () => Promise.resolve({ pages: [{ ...page, vision: { markdown: "# Quay", isCut: false } }] });
    const view = await openWith(reading, {
      page: loaded(pdf, "application/pdf"),
      open: { ...OPEN, pdf: { mode: "ocr" }, recognise, parts: [{ name: "markdown", removeBase64Images: true }] },
    });
    expect(view.markdown({ removeBase64Images: true })).toBe("# Quay");
    expect(view.document?.warning).toBeUndefined();
  });

  test("that cannot be read fail with the reader's own code", async () => {
    const spent = { steps: 1, bytes: 1, cut: [] };
    const value = { kind: "failed", code: "SCRAPE_PDF_PREFETCH_FAILED", message: "Damaged", spent };
    const opening = openWith(() => Promise.resolve({ kind: "done", value }), { page: docx() });
    await expect(opening).rejects.toMatchObject({ code: "SCRAPE_PDF_PREFETCH_FAILED", message: "Damaged" });
  });

  test("whose results are too large for a call fail with an error that says so", async () => {
    const limit =
      "Serialized RPC arguments or return values are limited to 32MiB, but the size of this value was: 37856843 bytes.";
    const opening = openWith(() => Promise.reject(new Error(limit)), { page: docx() });
    await expect(opening).rejects.toMatchObject({
      code: "SCRAPE_WORK_LIMIT",
      message: expect.stringContaining("32 MiB"),
    });
  });

  test("whose parts are too large together have the links that a job follows nevertheless", async () => {
    const limit = new Error("Serialized RPC arguments or return values are limited to 32MiB");
    const asked: string[][] = [];
    const run = (each: CodeRun): Promise<CodeEnd> => {
      const names = (each.input as PageInput).parts.map(({ name }) => name);
      asked.push(names);
      return names.includes("markdown") ? Promise.reject(limit) : reading(each);
    };
    const parts = [FOLLOWED_LINKS, { name: "markdown", removeBase64Images: true } as const];
    const page = loaded(`<a href="/quay">Quay</a>${"<p>Word</p>".repeat(13_000)}`);
    const view = await openWith(run, { page, open: { ...OPEN, parts } });
    expect(asked).toEqual([
      ["facts", "metadata", "links", "markdown"],
      ["facts", "metadata", "links"],
    ]);
    expect(view.links(FOLLOWED_LINKS)).toEqual(["https://shop.example/quay"]);
    expect(view.facts().text).toContain("Quay");
    expect(() => view.markdown({ removeBase64Images: true })).toThrow("32 MiB");
    // One whose process is stopped is not read again for them.
    let runs = 0;
    const stopped = (): Promise<CodeEnd> => Promise.resolve({ kind: "stopped", reason: (runs++, "time") });
    const opening = openWith(stopped, { page: loaded("<p>Word</p>".repeat(13_000)), open: { ...OPEN, parts } });
    await expect(opening).rejects.toMatchObject({ code: "SCRAPE_WORK_LIMIT" });
    expect(runs).toBe(2);
  });

  test("are read as far as their bounded parts go, and whole where the whole is a part", async () => {
    const page = () => loaded(`<a href="/a">A</a><a href="/b">B</a>${"<p>Word</p>".repeat(13_000)}`);
    const links = { name: "links", maxChars: 30 } as const;
    const text = { removeBase64Images: true, maxChars: 20 };
    const parts: PagePart[] = [links, { name: "markdown", ...text }];
    const cut = await openWith(reading, { page: page(), open: { ...OPEN, parts } });
    expect(cut.links(links)).toEqual(["https://shop.example/a"]);
    expect(cut.markdown(text)).toHaveLength(20);
    const whole: PagePart[] = [...parts, { name: "links" }, { name: "markdown", removeBase64Images: true }];
    const view = await openWith(reading, { page: page(), open: { ...OPEN, parts: whole } });
    expect(view.links(links)).toEqual(["https://shop.example/a", "https://shop.example/b"]);
    expect(view.markdown(text).length).toBeGreaterThan(10_000);
  });

  test.each([
    { reason: "time", code: "SCRAPE_WORK_LIMIT", runs: 1 },
    { reason: "memory", code: "SCRAPE_WORK_LIMIT", runs: 1 },
    { reason: "crash", code: "SCRAPE_WORK_LIMIT", runs: 2 },
    { reason: "busy", code: "SERVICE_UNAVAILABLE", runs: 1 },
  ] as const)("that end by $reason are refused, and not read here", async ({ reason, code, runs }) => {
    const seen: string[] = [];
    const run = ({ runId }: CodeRun): Promise<CodeEnd> => {
      seen.push(runId);
      return Promise.resolve({ kind: "stopped", reason });
    };
    await expect(openWith(run, { page: docx() })).rejects.toMatchObject({ code });
    expect(new Set(seen).size).toBe(runs);
  });

  for (const { tags, entries } of shortAndLong(["memory", "time", "crash"] as const, (reason) => reason === "memory"))
    test.each(entries)(
      "and whose tree ends by %s are read in one pass instead, with a warning",
      { tags },
      async (reason) => {
        const page = loaded(`<p>First</p>${"<p>Word</p>".repeat(13_000)}`);
        const run = async (each: CodeRun): Promise<CodeEnd> => {
          return (each.input as PageInput).isStreamed ? await reading(each) : { kind: "stopped", reason };
        };
        const view = await openWith(run, {
          page,
          open: { ...OPEN, parts: planScrape(URL_OF_PAGE, {}).open.parts ?? [] },
        });
        expect(view.markdown({ removeBase64Images: true })).toMatch(/^First\n\nWord\n/);
        expect(page.warnings).toEqual([expect.stringContaining("it was read in a stream")]);
      },
    );

  test("and whose process was ended from outside are read by another", async () => {
    const ends: CodeEnd[] = [{ kind: "stopped", reason: "crash" }, read("# Read")];
    const view = await openWith(() => Promise.resolve(ends.shift() ?? { kind: "stopped", reason: "busy" }), {
      page: docx(),
    });
    expect(view.document?.markdown).toBe("# Read");
  });

  test.each([
    { why: "the runner fails", run: () => Promise.reject(new Error("The isolate is gone")) },
    { why: "its response has no known form", run: () => Promise.resolve({ kind: "done", value: undefined } as const) },
    { why: "a part is missing", run: () => Promise.resolve(withValues([NO_FACTS])) },
    { why: "a part has another form", run: () => Promise.resolve(withValues([NO_FACTS, "metadata"])) },
    {
      why: "its error has no known code",
      run: () => {
        const spent = { steps: 1, bytes: 1, cut: [] };
        return Promise.resolve({ kind: "done", value: { kind: "failed", code: "ODD", message: "", spent } } as const);
      },
    },
  ])("are refused and logged without their content when $why", async ({ run }) => {
    const lines: LogEvent[] = [];
    const opening = openWith(run, { page: docx(), log: (event) => lines.push(event) });
    await expect(opening).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    expect(lines).toEqual([
      { event: "page_reader_failed", kind: "docx", length: DOCX.byteLength, message: expect.stringMatching(/^Error/) },
    ]);
  });

  test("learn and use a site's template", async () => {
    const template = new SiteTemplate();
    const parts: PagePart[] = [{ name: "fingerprints" }];
    const body = `<body><p>One paragraph.</p>${"<p>Word</p>".repeat(13_000)}`;
    const site = SiteTemplate.parse("8:a.8,b.7", { isCautious: true });
    let given: unknown;
    const run = (each: CodeRun) => {
      given = (each.input as PageInput).clean.site;
      return reading(each);
    };
    const view = await openWith(run, { page: loaded(body), open: { ...OPEN, clean: { ...OPEN.clean, site }, parts } });
    template.addPage(view.fingerprints());
    expect(given).toEqual({ text: "8:a.8,b.7", isCautious: true });
    const here = new SiteTemplate();
    here.addPage((await openPage(loaded(body), OPEN)).fingerprints());
    expect(template.serialize()).toBe(here.serialize());
  });
});

function withValues(values: unknown[]): CodeEnd {
  const spent = { steps: 1, bytes: 1, cut: [] };
  return {
    kind: "done",
    value: { kind: "read", document: { markdown: "", metadata: {} }, values, warnings: [], spent },
  };
}

describe("a page is read", () => {
  const MB = 1_000_000;
  test.each([
    { where: "apart", what: "4 MB of cells", body: "<tr><td>".repeat(MB / 2) },
    { where: "apart", what: "4 MB of text", body: "The quick brown fox. ".repeat(MB / 5) },
    { where: "apart", what: "25,000 tags", body: "<p>x</p>".repeat(12_500) },
    { where: "here", what: "10,000 tags", body: "<p>some words</p>".repeat(5_000) },
    { where: "here", what: "2 MB of a script", body: `<p>x</p><script>${'a("<b>");'.repeat(MB / 4)}</script><p>y</p>` },
    { where: "here", what: "a small page", body: "<b>x".repeat(20_000) },
    { where: "apart", what: "a small document", body: "PK", contentType: "application/epub+zip" },
    { where: "apart", what: "JSON", body: `[${"1,".repeat(MB / 4)}1]`, contentType: "application/json" },
    {
      where: "apart",
      what: "XML",
      body: `<?xml version="1.0"?><a>${"<b>".repeat(MB / 4)}`,
      contentType: "application/xml",
    },
    { where: "apart", what: "CSV", body: "1,2\n".repeat(MB / 4), contentType: "text/csv" },
    {
      where: "apart",
      what: "a feed",
      body: `<rss><channel>${"<item>".repeat(MB / 4)}`,
      contentType: "application/rss+xml",
    },
    { where: "here", what: "small JSON", body: "[1]", contentType: "application/json" },
    { where: "here", what: "a small table", body: "1,2\n".repeat(20_000), contentType: "text/csv" },
  ])("$where: $what", async ({ where, body, contentType }) => {
    let runs = 0;
    const stopped = (): Promise<CodeEnd> => Promise.resolve({ kind: "stopped", reason: "busy" });
    await openWith(() => (runs++, stopped()), { page: loaded(new TextEncoder().encode(body), contentType) }).catch(
      () => undefined,
    );
    expect(runs).toBe(where === "apart" ? 1 : 0);
  });

  const chain = { name: "attributeValues", selector: `${"div ".repeat(22)}div`, attribute: "href" } as const;
  test.each<{ where: string; what: string; body: string; parts: PagePart[] }>([
    { where: "apart", what: "a chain that fits a page in many ways", body: "<div>".repeat(700), parts: [chain] },
    { where: "apart", what: "nested definitions", body: "<dl><dt>a<dd>".repeat(2_000), parts: [{ name: "product" }] },
    {
      where: "apart",
      what: "links that a long base makes longer",
      body: `<base href="https://a.example/${"x/".repeat(980)}">${"<a href=b>c</a> ".repeat(8_000)}`,
      parts: [{ name: "links" }],
    },
    { where: "here", what: "the same chain on another page", body: "<p>x</p>".repeat(2_000), parts: [chain] },
  ])("$where, small as it is, by its work: $what", async ({ where, body, parts }) => {
    let runs = 0;
    const run = async (each: CodeRun): Promise<CodeEnd> => (runs++, await reading(each));
    const budget = new WorkBudget();
    const page = loaded(new TextEncoder().encode(body));
    const view = await openWith(run, { page, open: { ...OPEN, budget, parts, stepsHere: 600_000 } });
    expect(runs).toBe(where === "apart" ? 1 : 0);
    expect(budget.steps).toBeGreaterThan(1_000);
    expect(view.budget).toBe(budget);
    // What is read later counts as well.
    const { steps } = budget;
    view.attributeValues({ selector: "p > b", attribute: "class" });
    expect(budget.steps).toBeGreaterThan(where === "apart" ? steps - 1 : steps);
  });

  test("here when the deployment has no runner, and when nothing but its bytes are wanted", async () => {
    expect((await openPage(docx(), OPEN)).document?.markdown).toContain("| Apples \\| red | 12 |");
    const view = await openWith(refused, { page: docx(), open: { ...OPEN, bytesOnly: true } });
    expect(view.base64()).toMatch(/^UEsD/);
  });
});

const PRODUCT = {
  "@context": "https://schema.org",
  "@type": "Product",
  name: "Tea",
  offers: { price: "12.50", priceCurrency: "EUR" },
};
const LARGE = `<html lang="en"><head><title>Tea</title><script type="application/ld+json">${JSON.stringify(PRODUCT)}</script></head>
<body><nav><a href="/a">A</a></nav><main><h1>Tea</h1><img src="/tea.png" alt="Tea"><p>Price: $12.50</p><table><tr><th>Weight<td>100 g</table>
${"<wbr>".repeat(22_000)}
${Array.from({ length: 300 }, (_, index) => `<p>Paragraph <b>${index}</b> has <a href="/p/${index}">a link</a> and words.</p>`).join("\n")}</main></body></html>`;
const REQUESTS: Partial<Record<FormatRequest["type"], object>> = {
  attributes: { selectors: [{ selector: "main a", attribute: "href" }] },
  json: {
    schema: { type: "object", properties: { price: { type: "number" }, weight: { type: "string" } } },
    evidence: true,
  },
  deterministicJson: { prompt: "price, weight", evidence: true },
  question: { question: "What does tea cost?" },
  highlights: { query: "paragraph 17" },
  query: { prompt: "price of tea" },
};
/** Formats of a browser, of stored states, and of the bytes, which the service has. */
const OTHERS: readonly string[] = [
  "screenshot",
  "branding",
  "audio",
  "video",
  "changeTracking",
  "rawHtml",
  "rawBase64",
];

describe("a format of a page that was read apart", () => {
  for (const { tags, entries } of shortAndLong(
    FORMATS.filter(({ type }) => !OTHERS.includes(type)),
    // Those of one reader are alike: `json` and `deterministicJson`, and what quotes the text.
    ({ type }) => !["deterministicJson", "question", "query", "summary"].includes(type),
  ))
    test.each(entries)(
      "$type equals that of a page that was read here, and takes no work here",
      { tags },
      async ({ type, request }) => {
        const requested = request.parse({ type, ...REQUESTS[type] }) as FormatRequest;
        const { open } = planScrape(URL_OF_PAGE, { formats: [requested] });
        const page = loaded(new TextEncoder().encode(LARGE));
        const view = await openWith(reading, { page, open });
        const isQuoted = type === "json" || type === "deterministicJson";
        // Quotes of extracted data are looked up in the source; everything else that reads it here would fail.
        if (!isQuoted) Object.defineProperty(page, "body", { get: () => expect.fail("The page was read here") });
        const here = await openPage(loaded(new TextEncoder().encode(LARGE)), { ...open, budget: new WorkBudget() });
        const derived = await formatFor(type).derive(view, requested, contextFor());
        expect(derived).toEqual(await formatFor(type).derive(here, requested, contextFor()));
        expect(Object.keys(derived)).not.toEqual([]);
        expect(view.metadata()).toEqual(here.metadata());
        expect(view.facts()).toEqual(here.facts());
      },
    );
});

describe("the limit of a scrape", () => {
  const turns = () => new FairAdmission({ places: 1, isProcessorBusy: () => true });
  const nothing = () => Promise.resolve();
  const owner = { teamId: "t", keyId: "k" };
  /** A runner whose runs end when they are told to. */
  function held() {
    const runs: CodeRun[] = [];
    const ends: ((end: CodeEnd) => void)[] = [];
    const run = (each: CodeRun): Promise<CodeEnd> => {
      runs.push(each);
      return new Promise((resolve) => ends.push(resolve));
    };
    const deferred: Promise<unknown>[] = [];
    const defer = (work: Promise<unknown>): void => void deferred.push(work);
    const runner = { run, warmUp: nothing, forget: nothing };
    const tools = { runner, turns: turns(), waiting: new HeldBytes(), defer, log: () => undefined };
    return { runs, ends, deferred, tools };
  }

  test("ends the wait for a turn, and the page is not read later", async () => {
    const { runs, ends, tools } = held();
    const first = openPage(docx(), { ...OPEN, readApart: pageReaderOf(tools, owner) });
    const left = new AbortController();
    const limits = [{ deadlineMs: Date.now() + 20 }, { left: left.signal }];
    const waiting = limits.map((limit) => openPage(docx(), { ...OPEN, readApart: pageReaderOf(tools, owner, limit) }));
    setTimeout(() => left.abort(), 10);
    const ended = await Promise.allSettled(waiting);
    expect(ended).toMatchObject([{ reason: { code: "SCRAPE_TIMEOUT" } }, { reason: { code: "SCRAPE_TIMEOUT" } }]);
    ends.shift()?.(read("# Read"));
    await first;
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(runs).toHaveLength(1);
  });

  test("ends a reading that is under way, whose place is free when its process has been stopped", async () => {
    const { runs, ends, deferred, tools } = held();
    const limit = { deadlineMs: Date.now() + 30 };
    const page = openPage(docx(), { ...OPEN, readApart: pageReaderOf(tools, owner, limit) });
    await expect(page).rejects.toMatchObject({ code: "SCRAPE_TIMEOUT" });
    expect(runs[0]?.limitMs).toBeLessThanOrEqual(30);
    const next = openPage(docx(), { ...OPEN, readApart: pageReaderOf(tools, owner) });
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(runs).toHaveLength(1);
    ends.shift()?.({ kind: "stopped", reason: "time" });
    await Promise.all(deferred);
    await expect.poll(() => runs.length).toBe(2);
    ends.shift()?.(read("# Next"));
    expect((await next).markdown({ removeBase64Images: true })).toBe("# Next");
  });
});
