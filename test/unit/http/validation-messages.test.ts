/** Errors of validation name the field, what was sent, what is allowed and the nearest name, once each. */
import { describe, expect, test } from "vitest";
import { testApp } from "../../fakes/services/test-app.ts";
import { testDeps } from "../../fakes/services/test-deps.ts";

interface Problem {
  code: string;
  path: (string | number)[];
  message: string;
}

async function post(path: string, body: unknown): Promise<{ status: number; error: string; details: Problem[] }> {
  const response = await testApp(testDeps()).ask(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const { error, details } = await response.json<{ error: string; details: Problem[] }>();
  return { status: response.status, error, details };
}

const url = "https://a.example/";
const FORMATS = /Allowed: markdown, html, .*, json, .*, video$/;

describe("the message of an invalid field", () => {
  test.each([
    {
      body: { url, formats: ["markdwon"] },
      at: ["formats", 0],
      words: ['formats[0]: unknown format "markdwon". Did you mean "markdown"?', FORMATS],
    },
    {
      body: { url, formats: ["markdown", { type: "jsn" }] },
      at: ["formats", 1, "type"],
      words: ['formats[1]: unknown format "jsn". Did you mean "json"?', FORMATS],
    },
    {
      body: { url, formats: [{ type: "json", shema: {} }] },
      at: ["formats", 0],
      words: ['formats[0]: Unrecognized key: "shema" (did you mean "schema"?)'],
    },
    {
      body: { url, formats: [{ type: "screenshot", quality: 300 }] },
      at: ["formats", 0, "quality"],
      words: ["formats[0].quality: expected at most 100, got 300"],
    },
    {
      body: { url, formats: [{ type: "json", schema: "x" }] },
      at: ["formats", 0, "schema"],
      words: ['formats[0].schema: expected an object, got "x"'],
    },
    {
      body: { url, actions: [{ type: "click", selector: 5 }] },
      at: ["actions", 0, "selector"],
      words: ["actions[0].selector: expected a string, got 5"],
    },
    {
      body: { url, location: { languages: ["de", "en\r\nx: y"] } },
      at: ["location", "languages", 1],
      words: ["location.languages[1]"],
    },
    {
      body: { url, location: { languages: ["\0"] } },
      at: ["location", "languages", 0],
      words: ["location.languages[0]"],
    },
    { body: { url, formats: [5] }, at: ["formats", 0], words: ["formats[0]: expected a string or an object, got 5"] },
    { body: { url, formats: "markdown" }, at: ["formats"], words: ['formats: expected an array, got "markdown"'] },
    { body: { url, timeout: "5" }, at: ["timeout"], words: ['timeout: expected a number, got "5"'] },
    {
      body: { url, proxy: "Office 1" },
      at: ["proxy"],
      words: ["proxy"],
    },
    {
      body: { url, actions: [{ type: "clik", selector: "a" }] },
      at: ["actions", 0, "type"],
      words: ['actions[0]: unknown action "clik". Did you mean "click"?', "Allowed: wait, click"],
    },
    {
      body: { url, actions: [{ type: "click" }] },
      at: ["actions", 0, "selector"],
      words: ["actions[0].selector: is required (a string)"],
    },
    {
      body: { url, parsers: ["pfd"] },
      at: ["parsers", 0],
      words: ['parsers[0]: unknown parser "pfd". Did you mean "pdf"?'],
    },
    {
      body: { url, redactPII: { mode: "x" } },
      at: ["redactPII", "mode"],
      words: ['redactPII.mode: unknown value "x". Allowed: accurate, aggressive, fast'],
    },
    {
      body: { url, location: { country: "Germany" } },
      at: ["location", "country"],
      words: ["location.country: Invalid country code. Use ISO 3166-1 alpha-2, such as DE."],
    },
    { body: {}, at: ["url"], words: ["url: is required (a string)"] },
  ])("is about $at for $body", async ({ body, at, words }) => {
    const { status, error, details } = await post("/v2/scrape", body);
    expect(status).toBe(400);
    expect(details).toHaveLength(1);
    expect(details[0]).toMatchObject({ path: at });
    expect(error).toBe(`Bad Request: ${details[0]?.message}`);
    for (const word of words) expect(error).toMatch(word instanceof RegExp ? word : new RegExp(escape(word)));
  });

  test.each([
    { field: "archive", words: "send one URL as a batch of one" },
    { field: "estimate", words: "POST /v2/crawl" },
  ])("names the operations that have the field $field", async ({ field, words }) => {
    const { status, error } = await post("/v2/scrape", { url: "https://a.example/", [field]: true });
    expect({ status, error }).toEqual({ status: 400, error: expect.stringContaining(words) });
  });

  test("is the known sentence and the nearest name for an unknown field of the body", async () => {
    const { error, details } = await post("/v2/scrape", { url, formts: ["markdown"], secret: 1 });
    expect(error).toBe(
      'Unrecognized key in body -- please review the v2 API documentation for request body changes: "formts" (did you mean "formats"?), "secret"',
    );
    expect(details).toMatchObject([{ code: "unrecognized_keys", keys: ["formts", "secret"], path: [] }]);
  });

  test.each([
    { path: "/v2/search", body: { query: "x", sources: ["wbe"] }, at: ["sources", 0] },
    { path: "/v2/search", body: { query: "x", sources: [{ type: "wbe" }] }, at: ["sources", 0, "type"] },
  ])("begins like other errors of searches for $body", async ({ path, body, at }) => {
    const { error, details } = await post(path, body);
    expect(error).toBe(
      'Invalid request body: sources[0]: unknown source "wbe". Did you mean "web"? Allowed: web, images, news, alexandria',
    );
    expect(details).toMatchObject([{ path: at }]);
  });

  test("has the first three of several problems, and the details have all", async () => {
    const formats = ["aa", "bb", "cc", "dd", "ee"];
    const { error, details } = await post("/v2/crawl", { url, limit: "a", scrapeOptions: { formats } });
    expect(error).toMatch(/^Bad Request: limit: .*; scrapeOptions\.formats\[0\]: .*; scrapeOptions\.formats\[1\]: /);
    expect(error).toMatch(/; 3 more in details$/);
    expect(details).toHaveLength(6);
  });

  test("has no nested unions, and is short for a long list", async () => {
    const { details, error } = await post("/v2/scrape", { url, formats: Array.from({ length: 100 }, () => "x") });
    expect(details).toHaveLength(50);
    expect(JSON.stringify(details)).not.toContain('"errors"');
    expect(error.length).toBeLessThan(2000);
  });

  test("repeats only the beginning of a long value", async () => {
    const { error } = await post("/v2/scrape", { url, proxy: "x".repeat(100_000) });
    expect(error.length).toBeLessThan(300);
  });
});

function escape(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}
