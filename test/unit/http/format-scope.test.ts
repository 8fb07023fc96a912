import { describe, expect, test } from "vitest";
import { sha256Hex } from "../../../src/core/text/hash.ts";
import { isWithin, outputsOf } from "../../../src/formats/outputs.ts";
import { findJob } from "../../../src/services/jobs/find-job.ts";
import { readScrape } from "../../../src/services/scrape/read-scrape.ts";
import { callTool, mcpClient, texts } from "../../fakes/services/mcp-client.ts";
import { testApp } from "../../fakes/services/test-app.ts";
import { testDeps } from "../../fakes/services/test-deps.ts";

const KEY_TEXT = `fc-${"5".repeat(32)}`;
const RESTRICTED = "restricted to the following formats: markdown";
const URL = "https://a.example/";
const ID = "019a9f6e-2b1c-7c55-9e0d-3f1f6f0a2c11";
const KEY = {
  id: "markdown-key",
  teamId: "team",
  name: "markdown",
  prefix: "fc-555555",
  scopes: { admin: false, formats: ["markdown"] },
  limits: {},
  monthlyCredits: undefined,
  maxConcurrency: undefined,
  createdAtMs: 0,
  expiresAtMs: undefined,
  revokedAtMs: undefined,
};

async function serviceOfMarkdownKey() {
  const deps = testDeps({ settings: { zeroDataRetention: true } });
  await deps.keys.insert(KEY, await sha256Hex(KEY_TEXT));
  return testApp(deps);
}

/** Options that give more than markdown, in the ways that there are. */
const MORE = [
  { formats: ["screenshot"] },
  { formats: ["markdown", "html"] },
  { formats: ["rawBase64"] },
  { formats: [{ type: "json", prompt: "all" }] },
  { actions: [{ type: "screenshot" }] },
  { actions: [{ type: "pdf" }] },
  { actions: [{ type: "generatePDF" }] },
  { actions: [{ type: "scrape" }] },
  { actions: [{ type: "executeJavascript", script: "document.body.outerHTML" }] },
];
const PLACES: { path: string; body: (options: object) => object }[] = [
  { path: "/v2/scrape", body: (options) => ({ url: URL, ...options }) },
  { path: "/v2/crawl", body: (options) => ({ url: URL, scrapeOptions: options }) },
  { path: "/v2/batch/scrape", body: (options) => ({ urls: [URL], ...options }) },
  { path: "/v2/search", body: (options) => ({ query: "tide", scrapeOptions: options }) },
  {
    path: "/v2/monitor",
    body: (options) => ({
      name: "m",
      schedule: { text: "hourly" },
      targets: [{ type: "scrape", urls: [URL], scrapeOptions: options }],
    }),
  },
];

describe("a key for markdown alone", () => {
  test.each(PLACES.flatMap(({ path, body }) => MORE.map((options) => ({ path, options, body: body(options) }))))(
    "gets no more at $path by $options",
    async ({ path, body }) => {
      const { post } = await serviceOfMarkdownKey();
      const response = await post(path, body, { key: KEY_TEXT });
      expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([
        403,
        expect.stringContaining(RESTRICTED),
      ]);
    },
  );

  test.each([
    { path: "/v1/scrape", body: { url: URL, formats: ["screenshot@fullPage"] } },
    { path: "/v1/scrape", body: { url: URL, actions: [{ type: "screenshot" }] } },
    { path: "/v1/crawl", body: { url: URL, scrapeOptions: { formats: ["rawHtml"] } } },
    { path: "/v1/batch/scrape", body: { urls: [URL], formats: ["screenshot"] } },
    { path: "/v1/search", body: { query: "tide", scrapeOptions: { formats: ["html"] } } },
    { path: "/v1/extract", body: { urls: [URL], prompt: "all" } },
    { path: "/v2/extract", body: { urls: [URL], prompt: "all" } },
    { path: "/v2/agent", body: { prompt: "all", schema: { type: "object", properties: { a: { type: "string" } } } } },
    { path: "/v2/crawl", body: { url: URL, archive: true } },
    { path: "/v2/batch/scrape", body: { urls: [URL], archive: true } },
    { path: "/v2/agent", body: { prompt: "all" } },
    { path: "/v2/browser", body: {} },
    { path: "/v2/interact", body: {} },
    { path: `/v2/browser/${ID}/execute`, body: { code: "page.screenshot()" } },
    { path: `/v2/scrape/${ID}/interact`, body: { code: "page.content()" } },
    { path: `/v2/scrape/${ID}/interact`, body: { prompt: "take a picture" } },
  ])("is refused at $path with $body", async ({ path, body }) => {
    const { post } = await serviceOfMarkdownKey();
    const response = await post(path, body, { key: KEY_TEXT });
    expect([response.status, await response.text()]).toEqual([403, expect.stringContaining(RESTRICTED)]);
  });

  test("gets no archive of a crawl, which has the raw responses", async () => {
    const { ask } = await serviceOfMarkdownKey();
    const response = await ask(`/v2/crawl/${ID}/archive.wacz`, { key: KEY_TEXT });
    expect([response.status, await response.text()]).toEqual([403, expect.stringContaining(RESTRICTED)]);
  });

  test("gets no picture by a file that it sends, nor by a tool", async () => {
    const { app, ask } = await serviceOfMarkdownKey();
    const form = new FormData();
    form.set("file", new File(["<p>Hello</p>"], "page.html", { type: "text/html" }));
    form.set("options", JSON.stringify({ formats: ["html"] }));
    expect((await ask("/v2/parse", { key: KEY_TEXT, method: "POST", body: form })).status).toBe(403);
    const client = await mcpClient((await serviceOfMarkdownKey()).app, KEY_TEXT);
    const result = await callTool(client, "scrape", { url: URL, actions: [{ type: "screenshot" }] });
    expect(texts(result).join("")).toContain(RESTRICTED);
    expect(app).toBeDefined();
  });

  test("reads back what other keys have made only where it is markdown", async () => {
    const document = (fields: object) => JSON.stringify({ ...fields, metadata: { sourceURL: URL } });
    const read = (fields: object, keyId = "another key") => {
      const record = { teamId: "team", keyId, endpoint: "scrape" };
      const scrapes = { find: async () => ({ record, documentJson: document(fields) }) } as never;
      return readScrape({ ...testDeps(), scrapes }, { key: KEY }, ID);
    };
    await expect(read({ markdown: "x" })).resolves.toContain("markdown");
    for (const fields of [
      { screenshot: "u" },
      { html: "x" },
      { json: {} },
      { actions: { pdfs: ["u"] } },
      { answer: "x" },
    ]) {
      await expect(read({ markdown: "x", ...fields })).rejects.toMatchObject({ code: "FORMAT_RESTRICTED" });
    }
    await expect(read({ markdown: "x", html: "x" }, KEY.id)).resolves.toContain("html");
  });

  test.each([
    { kind: "crawl", optionsJson: '{"scrapeOptions":{"formats":[{"type":"screenshot"}]}}', isReadable: false },
    { kind: "crawl", optionsJson: '{"scrapeOptions":{}}', isReadable: true },
    { kind: "batch_scrape", optionsJson: '{"actions":[{"type":"pdf"}]}', isReadable: false },
    { kind: "batch_scrape", optionsJson: '{"formats":[{"type":"markdown"}]}', isReadable: true },
    { kind: "batch_scrape", optionsJson: "{}", isReadable: false },
    { kind: "extract", optionsJson: '{"urls":[]}', isReadable: false },
  ])("follows another key's $kind of $optionsJson: $isReadable", async ({ kind, optionsJson, isReadable }) => {
    const job = { id: ID, teamId: "team", keyId: "another key", kind, optionsJson, expiresAtMs: Infinity };
    const finding = findJob({ ...testDeps(), jobs: { find: async () => job, wholeOptions: async () => optionsJson } as never }, { key: KEY }, { id: ID, kinds: ["crawl", "batch_scrape", "extract"] }); // prettier-ignore
    const code = await finding.then(
      () => "found",
      (error: { code: string }) => error.code,
    );
    expect(code).toBe(isReadable ? "found" : "FORMAT_RESTRICTED");
  });
});

test("what a scrape gives out is its formats and what its actions bring back", () => {
  expect(outputsOf({})).toEqual(["markdown"]);
  expect(outputsOf({ formats: [], actions: [{ type: "scrape" }, { type: "wait", milliseconds: 1 }] as never })).toEqual(
    ["html"],
  );
  expect(isWithin({ markdown: "", metadata: {}, actions: { screenshots: [] } }, ["markdown"])).toBe(true);
  expect(isWithin({ markdown: "", metadata: {}, figures: [], tools: [], pages: [] }, ["markdown"])).toBe(true);
});
