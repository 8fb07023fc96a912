import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { call, type Answer } from "../client.ts";

interface Part {
  name: string;
  type?: string;
  body: string | Uint8Array<ArrayBuffer>;
}

const PAGE: Part = {
  name: "log.html",
  type: "text/html",
  body: `<html lang="en"><head><title>The log</title></head><body><header id="header">Harbour press</header><main>
    <h1>Log of the Saint Bride</h1>
    <p>Sailed at eight minutes to eight, as she has done since the bus. The slip was dry, the ramp down, the crew awake.</p>
    <p class="aside">Fog from the mole to the bar, and no horn to be heard; the pilot walked ahead with the lamp.</p>
    <p>Landed eleven passengers, of whom one had meant to stay at home. See the <a href="https://a.example/tides">tides</a>.</p>
    <p><img alt="dot" src="data:image/png;base64,AAAA"> The mark on the chart shows where she turned about for the goat.</p>
    </main></body></html>`,
};

/** Uploads a file; clients send the options before it or after it. */
function upload(
  part: Part | undefined,
  options?: object | string,
  order: "before" | "after" = "before",
): Promise<Answer> {
  const form = new FormData();
  const text = typeof options === "object" ? JSON.stringify(options) : options;
  if (text !== undefined && order === "before") form.set("options", text);
  if (part !== undefined) form.set("file", new File([part.body], part.name, { type: part.type ?? "" }));
  if (text !== undefined && order === "after") form.set("options", text);
  return call("/v2/parse", { body: form });
}

async function fixture(name: string): Promise<Part> {
  const bytes = await readFile(`${import.meta.dirname}/../../fixtures/documents/${name}`);
  return { name, body: Uint8Array.from(bytes) };
}

describe("an upload", () => {
  test.each(["before", "after"] as const)("is read with its options %s it", async (order) => {
    const { status, body } = await upload(PAGE, { formats: ["markdown", "links"], excludeTags: [".aside"] }, order);
    expect(status).toBe(200);
    expect(body.data.markdown).toContain("Sailed at eight minutes to eight");
    expect(body.data.markdown).not.toContain("Fog from");
    expect(body.data.links).toEqual(["https://a.example/tides"]);
    expect(body.data.metadata).toMatchObject({
      title: "The log",
      sourceURL: "log.html",
      statusCode: 200,
      creditsUsed: 1,
    });
  });

  test.each([
    "sample.docx", "sample.doc", "sample.odt", "sample.rtf", "sample.xlsx", "sample.xls", "sample.ods", "sample.pptx",
    "sample.ppt", "sample.odp", "sample.epub", "report.pdf",
  ])("of %s is known by its name", async (name) => {
    const { status, body } = await upload(await fixture(name));
    expect(status).toBe(200);
    expect(body.data.markdown?.length).toBeGreaterThan(20);
    expect(body.data.metadata.sourceURL).toBe(name);
  }); // prettier-ignore

  test.each([
    { field: "onlyMainContent", value: false, shows: { markdown: expect.stringContaining("Harbour press") } },
    { field: "includeTags", value: [".aside"], shows: { markdown: expect.stringMatching(/^Fog from/) } },
    { field: "removeBase64Images", value: false, shows: { markdown: expect.stringContaining("data:image/png") } },
    { field: "formats", value: ["rawHtml"], shows: { rawHtml: PAGE.body } },
    { field: "onlyCleanContent", value: true, shows: { warning: expect.stringContaining("onlyCleanContent") } },
    { field: "safeMode", value: true, shows: { warning: expect.stringContaining("safeMode") } },
    { field: "blockAds", value: false, shows: { warning: expect.stringContaining("blockAds") } },
    { field: "fastMode", value: true, shows: { warning: expect.stringContaining("fastMode") } },
    { field: "skipTlsVerification", value: true, shows: { warning: expect.stringContaining("skipTlsVerification") } },
    { field: "maxAge", value: 5, shows: { warning: expect.stringContaining("maxAge") } },
    { field: "storeInCache", value: false, shows: { warning: expect.stringContaining("storeInCache") } },
    { field: "timeout", value: 5000, shows: { warning: expect.stringContaining("timeout") } },
  ])("takes $field", async ({ field, value, shows }) => {
    const { body } = await upload(PAGE, { [field]: value });
    expect(body.data).toMatchObject(shows);
  });

  test("takes the options of PDFs, and costs a credit a page", async () => {
    const report = await fixture("report.pdf");
    const whole = await upload(report);
    const { numPages = 0 } = whole.body.data.metadata;
    expect(whole.body.data.metadata.creditsUsed).toBe(numPages);
    const first = await upload(report, { parsers: [{ type: "pdf", maxPages: 1, pages: true }] });
    expect(first.body.data.pages).toHaveLength(1);
    expect(first.body.data.metadata.creditsUsed).toBe(1);
    const bytes = await upload(report, { parsers: [] });
    expect(bytes.body.data.markdown).toMatch(/^JVBER/);
  });

  test.each([
    { label: "actions", options: { actions: [{ type: "scrape" }] } },
    { label: "the screenshot format", options: { formats: ["screenshot"] } },
    { label: "the rawBase64 format", options: { formats: ["rawBase64"] } },
    { label: "waitFor", options: { waitFor: 10 } },
    { label: "location", options: { location: { country: "DE" } } },
    { label: "mobile", options: { mobile: true } },
    { label: "headers", options: { headers: { a: "b" } } },
    { label: "lockdown", options: { lockdown: true } },
    { label: "minAge", options: { minAge: 1 } },
    { label: "proxy", options: { proxy: "stealth" } },
  ])("does not take $label", async ({ label, options }) => {
    const { status, body } = await upload(PAGE, options);
    expect({ status, code: body.code }).toEqual({ status: 400, code: "PARSE_UNSUPPORTED_OPTIONS" });
    expect(body.error).toContain(`do not support ${label}`);
  });

  test.each([
    { why: "there is none", part: undefined, options: {}, code: "BAD_REQUEST", words: "Missing file upload" },
    { why: "its options break off", part: PAGE, options: "{", code: "BAD_REQUEST", words: "Invalid JSON" },
    {
      why: "its options are unknown",
      part: PAGE,
      options: { url: "a" },
      code: "BAD_REQUEST",
      words: "Unrecognized key",
    },
    { why: "its options are wrong", part: PAGE, options: { timeout: 1 }, code: "BAD_REQUEST", words: "Bad Request" },
    {
      why: "it is a song",
      part: { name: "a.mp3", type: "audio/mpeg", body: "ID3" },
      options: {},
      code: "UNSUPPORTED_FILE_TYPE",
      words: "Unsupported upload type",
    },
    {
      why: "nobody knows what it is",
      part: { name: "thing", body: "??" },
      options: {},
      code: "UNSUPPORTED_FILE_TYPE",
      words: "Unsupported upload type",
    },
  ])("is refused when $why", async ({ part, options, code, words }) => {
    const { status, body } = await upload(part, options);
    expect({ status, success: body.success, code: body.code }).toEqual({ status: 400, success: false, code });
    expect(body.error).toContain(words);
  });

  // The runtime's parser takes a second for ten megabytes of a head, during which nobody is served.
  test("with a file name or a type of megabytes is refused before it is parsed", async () => {
    for (const part of [
      { name: `${'"'.repeat(2_000_000)}.html`, type: "text/html", body: "<p>x</p>" },
      { name: "a.html", type: `text/html${"; charset=utf-8".repeat(200_000)}`, body: "<p>x</p>" },
    ]) {
      const { status, body } = await upload(part);
      expect({ status, code: body.code }).toEqual({ status: 400, code: "BAD_REQUEST" });
      expect(body.error).toBe("The head of a part of the form is longer than 8192 bytes");
    }
  });

  test("is refused above 50 MiB", { tags: ["long"] }, async () => {
    const { status, body } = await upload({ name: "a.html", body: "x".repeat(52_428_801) });
    expect({ status, success: body.success }).toEqual({ status: 413, success: false });
    expect(body.error).toContain("too large");
    const form = await upload({ name: "a.html", body: "x".repeat(60_000_000) });
    expect({ status: form.status, error: form.body.error }).toEqual({
      status: 413,
      error: "Request body is too large",
    });
  });
});
