import { describe, expect, test } from "vitest";
import type { PagePart } from "../../../../src/content/page-parts.ts";
import { openPage, type PageView } from "../../../../src/content/page-view.ts";
import { readPageInput, type PageInput } from "../../../../src/content/read-page-input.ts";
import type { LoadedPage } from "../../../../src/core/scrape/page.ts";
import type { CodeEnd, CodeRun } from "../../../../src/core/sessions/code-run.ts";
import type { LogEvent } from "../../../../src/core/text/redact.ts";
import { FairAdmission } from "../../../../src/core/waits/fair-admission.ts";
import { HeldBytes } from "../../../../src/core/waits/held-bytes.ts";
import { FORMATS, formatFor, type FormatRequest } from "../../../../src/formats/index.ts";
import type { SharedReader } from "../../../../src/ports/sessions/code-runner.ts";
import { pageReaderOf } from "../../../../src/services/parse/read-page-apart.ts";
import { PAGES_APART } from "../../../../src/services/parse/run-apart.ts";
import { withReader } from "../../../../src/services/parse/with-reader.ts";
import { planScrape } from "../../../../src/services/scrape/scrape-plan.ts";
import { contextFor } from "../../formats/page.ts";

const URL_OF_PAGE = "https://shop.example/tea";
const PAGE = `<html lang="en"><head><title>Tea</title></head><body><nav><a href="/a">A</a></nav><main><h1>Tea</h1><img src="/tea.png" alt="Tea">
${Array.from({ length: 300 }, (_, index) => `<p>Paragraph <b>${index}</b> has <a href="/p/${index}">a link</a> and words.</p>`).join("\n")}</main></body></html>`;
const MARKDOWN: PagePart = { name: "markdown", removeBase64Images: true };
/** Fits this page in many ways, so that it takes more steps than a page may that others wait for. */
const COSTLY: PagePart = { name: "attributeValues", selector: `${"div ".repeat(22)}div`, attribute: "href" };
const COSTLY_PAGE = `${"<div>".repeat(700)}${"words ".repeat(3_000)}`;

type Places = "shared" | "own";

interface Given {
  html?: string;
  requested?: FormatRequest[];
  /** Null for a page whose parts nobody names. */
  parts?: readonly PagePart[] | null;
  read?: SharedReader["read"];
}

const inIsolate = async (input: PageInput): Promise<unknown> =>
  JSON.parse(JSON.stringify(await readPageInput(input))) as unknown;

/** Opens a page with a shared process, and notes who read it; nobody stands for the service itself. */
async function open({ html = PAGE, requested = [], parts, read }: Given): Promise<{
  view: PageView;
  page: LoadedPage;
  places: Places[];
  inputs: PageInput[];
  lines: LogEvent[];
}> {
  const places: Places[] = [];
  const inputs: PageInput[] = [];
  const lines: LogEvent[] = [];
  const shared: SharedReader = {
    read: async (input) => {
      places.push("shared");
      if (read !== undefined) return await read(input);
      const page = input() as PageInput;
      inputs.push(page);
      return { value: await inIsolate(page) };
    },
  };
  const run = async (each: CodeRun): Promise<CodeEnd> => {
    places.push("own");
    return { kind: "done", value: await inIsolate(each.input as PageInput) };
  };
  const nothing = () => Promise.resolve();
  const turns = new FairAdmission({ ...PAGES_APART, isProcessorBusy: () => true });
  const tools = { runner: { run, warmUp: nothing, forget: nothing }, shared, turns, waiting: new HeldBytes(), defer: () => undefined, log: (line: LogEvent) => void lines.push(line) }; // prettier-ignore
  const { parts: planned = [], ...options } = planScrape(URL_OF_PAGE, { formats: requested }).open;
  const known = parts === null ? {} : { parts: parts ?? planned };
  const page = loaded(html);
  const view = await openPage(
    page,
    withReader({ ...options, ...known }, pageReaderOf(tools, { teamId: "t", keyId: "k" })),
  );
  return { view, page, places, inputs, lines };
}

function loaded(html: string): LoadedPage {
  const body = new TextEncoder().encode(html);
  const contentType = "text/html; charset=utf-8";
  return { engine: "fetch", url: URL_OF_PAGE, statusCode: 200, headers: {}, contentType, body, warnings: [] };
}

/** Formats without further options; those of a browser, of stored states, and of the bytes are the service's. */
const PLAIN = ["markdown", "html", "links", "images", "summary", "product", "menu"];

describe("a page of moderate size", () => {
  test.each(FORMATS.filter(({ type }) => PLAIN.includes(type)))(
    "gives the same $type from the shared process, and takes no work here",
    async ({ type, request }) => {
      const requested = request.parse({ type }) as FormatRequest;
      const { view, page, places } = await open({ requested: [requested] });
      expect(places).toEqual(["shared"]);
      Object.defineProperty(page, "body", { get: () => expect.fail("The page was read here") });
      const here = await openPage(loaded(PAGE), planScrape(URL_OF_PAGE, { formats: [requested] }).open);
      const derived = await formatFor(type).derive(view, requested, contextFor());
      expect(derived).toEqual(await formatFor(type).derive(here, requested, contextFor()));
      expect(view.metadata()).toEqual(here.metadata());
      expect(view.facts()).toEqual(here.facts());
    },
  );

  test("is read there within the steps that a page may take for which others wait", async () => {
    const { inputs, view } = await open({ parts: [MARKDOWN] });
    expect(inputs[0]?.limits).toMatchObject({ steps: 600_000, timeMs: 1_000 });
    expect(view.budget.steps).toBeGreaterThan(1_000);
  });

  test.each([
    { why: "it takes more work", html: COSTLY_PAGE, parts: [COSTLY], places: ["shared", "own"] },
    { why: "the process ended", read: failing, places: ["shared", "own"] },
  ])("is read in a process of its own when $why", async ({ places, ...given }) => {
    const { view, places: seen, lines } = await open(given);
    expect(seen).toEqual(places);
    expect(view.markdown({ removeBase64Images: true })).toContain("words");
    expect(lines.map(({ event }) => event)).toEqual(given.read === undefined ? [] : ["shared_reader_failed"]);
  });

  test("is read here when there is no process, or it has enough to do", async () => {
    const { view, places } = await open({ read: () => Promise.resolve(undefined) });
    expect(places).toEqual(["shared"]);
    expect(view.markdown({ removeBase64Images: true })).toContain("Paragraph **299**");
  });

  test("is read here when one of its parts has an error, which its format reports", async () => {
    const parts: PagePart[] = [MARKDOWN, { name: "attributeValues", selector: "a[", attribute: "href" }];
    const { view, places } = await open({ parts });
    expect(places).toEqual(["shared"]);
    expect(view.markdown({ removeBase64Images: true })).toContain("Paragraph **299**");
    expect(() => view.attributeValues({ selector: "a[", attribute: "href" })).toThrow(
      expect.objectContaining({ code: "BAD_REQUEST" }),
    );
  });

  test("is refused when the process answers in an unknown form", async () => {
    await expect(open({ read: () => Promise.resolve({ value: { kind: "read" } }) })).rejects.toMatchObject({
      code: "SERVICE_UNAVAILABLE",
    });
  });
});

test("a small page is not sent to another process", async () => {
  expect((await open({ html: "<p>Tea</p>" })).places).toEqual([]);
});

test("a page whose parts are not known beforehand is read here", async () => {
  const { view, places } = await open({ parts: null });
  expect(places).toEqual([]);
  expect(view.markdown({ removeBase64Images: true })).toContain("Paragraph **299**");
});

function failing(): Promise<{ error: unknown }> {
  return Promise.resolve({ error: new Error("The connection was lost") });
}
