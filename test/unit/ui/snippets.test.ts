import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { Operation } from "../../../src/ui/api/openapi.ts";
import { missingIn, pathOf } from "../../../src/ui/playground/request/request.ts";
import { pythonValue } from "../../../src/ui/playground/code/literals.ts";
import { JAVASCRIPT_FIELDS } from "../../../src/ui/playground/code/sdk-fields.ts";
import { languagesOf, snippetOf } from "../../../src/ui/playground/code/snippets.ts";
import type { Language } from "../../../src/ui/playground/code/snippets.ts";

const scrape: Operation = {
  id: "post /v2/scrape",
  name: "postV2Scrape",
  method: "post",
  path: "/v2/scrape",
  tag: "Scraping",
  summary: "",
  parameters: [],
  body: {
    kind: "json",
    schema: { type: "object", properties: { url: { type: "string" } }, required: ["url"] },
    example: undefined,
  },
};
const status: Operation = {
  ...scrape,
  id: "get /v2/crawl/{id}",
  method: "get",
  path: "/v2/crawl/{id}",
  parameters: [
    { name: "id", in: "path", required: true, schema: { type: "string" } },
    { name: "limit", in: "query", required: false, schema: { type: "integer" } },
  ],
  body: undefined,
};
const request = { operation: scrape.id, parameters: {}, body: { url: "https://example.com/it's", mobile: true } };

describe("a request as code", () => {
  test("for the shell escapes quotation marks", () => {
    const text = snippetOf("curl", { operation: scrape, request, origin: "http://localhost:8787" });
    expect(text).toContain("curl 'http://localhost:8787/v2/scrape'");
    expect(text).toContain(String.raw`"url": "https://example.com/it'\''s"`);
    expect(text).toContain('-H "Authorization: Bearer $ORBWEAVER_API_KEY"');
  });

  test("for JavaScript parses", () => {
    const text = snippetOf("JavaScript", { operation: scrape, request, origin: "http://localhost:8787" });
    const AsyncFunction = (async () => undefined).constructor as new (body: string) => unknown;
    expect(() => new AsyncFunction(text)).not.toThrow();
    expect(text).toContain('"mobile": true');
  });

  test("for Python uses Python literals", () => {
    const text = snippetOf("Python", { operation: scrape, request, origin: "http://localhost:8787" });
    expect(text).toContain('"mobile": True,');
    expect(pythonValue({ a: [null, false, "x", 1.5], b: {}, c: [] })).toBe(
      '{\n    "a": [\n        None,\n        False,\n        "x",\n        1.5,\n    ],\n    "b": {},\n    "c": [],\n}',
    );
  });

  test("for Go, PHP and Ruby holds the body as it is, also with their quotes", () => {
    const odd = { ...request, body: { url: "https://example.com/it's", prompt: 'a `tick`, a "quote" and #{x} $y' } };
    const text = JSON.stringify(odd.body, undefined, 2);
    const of = (language: Language): string =>
      snippetOf(language, { operation: scrape, request: odd, origin: "http://localhost:8787" });
    expect(of("Go")).toContain(`body := \`${text.replaceAll("`", '` + "`" + `')}\``);
    expect(of("Go")).toContain('http.NewRequest("POST", "http://localhost:8787/v2/scrape", strings.NewReader(body))');
    expect(of("PHP")).toContain(`<<<'JSON'\n${text}\nJSON;`);
    expect(of("Ruby")).toContain(`<<'JSON'\n${text}\nJSON\n`);
    for (const language of languagesOf(scrape)) expect(of(language), language).toContain("ORBWEAVER_API_KEY");
  });

  test("for the SDKs calls their methods with their names of the options", () => {
    const crawl = { ...scrape, id: "post /v2/crawl", path: "/v2/crawl" };
    const body = {
      url: "https://a.example/",
      limit: 5,
      scrapeOptions: { formats: ["markdown"], onlyMainContent: true },
    };
    const given = { operation: crawl, request: { ...request, body }, origin: "http://localhost:8787" };
    expect(snippetOf("JavaScript SDK", given)).toContain('firecrawl.crawl("https://a.example/", {\n  "limit": 5,');
    const python = snippetOf("Python SDK", given);
    expect(python).toContain('firecrawl.crawl(\n    "https://a.example/",\n    limit=5,');
    expect(python).toContain("scrape_options=ScrapeOptions(");
    expect(python).toContain("only_main_content=True,");
    const batch = { ...scrape, id: "post /v2/batch/scrape", path: "/v2/batch/scrape" };
    const pages = { ...request, body: { urls: ["u"], formats: ["links"], ignoreInvalidURLs: true } };
    const text = snippetOf("JavaScript SDK", { ...given, operation: batch, request: pages });
    expect(text.replaceAll(/\s+/g, " ")).toContain(
      'batchScrape(["u"], { "options": { "formats": [ "links" ] }, "ignoreInvalidURLs": true })',
    );
    expect(languagesOf(status)).not.toContain("Python SDK");
  });

  test("for the shell passes the texts and file names of a form as they are", () => {
    const parse: Operation = { ...scrape, id: "post /v2/parse", path: "/v2/parse", body: { kind: "multipart", schema: {}, example: undefined } };
    const body = { file: new File([], 'a,b;"c\\d.pdf'), options: "@x;<y, z" };
    const text = snippetOf("curl", { operation: parse, request: { ...request, body }, origin: "http://localhost:8787" });
    expect(text).toContain(String.raw`-F 'file=@"a,b;\"c\\d.pdf"'`);
    expect(text).toContain("--form-string 'options=@x;<y, z'");
  }); // prettier-ignore

  test("for the SDKs leaves out the options that they do not send, and names them", () => {
    const crawl = { ...scrape, id: "post /v2/crawl", path: "/v2/crawl" };
    const body = { url: "u", since: "1", limit: 5, estimate: true, robotsUserAgent: "r", scrapeOptions: { maxAge: 1, minAge: 2 } };
    const given = { operation: crawl, request: { ...request, body }, origin: "http://localhost:8787" };
    const javaScript = snippetOf("JavaScript SDK", given);
    expect(javaScript).toMatch(/^\/\/ The SDK does not send these options: since, estimate\.\n/);
    expect(javaScript).toContain('"minAge": 2');
    expect(javaScript).not.toContain('"since"');
    const python = snippetOf("Python SDK", given);
    expect(python).toMatch(/^# The SDK does not send these options: since, estimate, robotsUserAgent, scrapeOptions\.minAge\.\n/);
    expect(python).not.toMatch(/since=|estimate=|min_age=|robots_user_agent=/);
    expect(snippetOf("JavaScript", given)).toContain('"estimate": true');
  }); // prettier-ignore

  test.each(["crawl", "map", "search", "extract", "agent"])("lists the fields that the client sends for %s", (name) => {
    const source = readFileSync(fileURLToPath(import.meta.resolve("firecrawl")), "utf8");
    const start = source.indexOf(`function prepare${name[0]?.toUpperCase()}${name.slice(1)}Payload(`);
    const code = source.slice(start, source.indexOf("\n}\n", start));
    const head = /const \w+ = \{\s*(\w*)/.exec(code)?.[1] ?? "";
    const set = [...code.matchAll(/(?:payload|data|body)\.(\w+) = /g)].map(([, field = ""]) => field);
    const sent = new Set([head, ...set].filter((field) => field !== ""));
    expect(JAVASCRIPT_FIELDS[`post /v2/${name}`]?.toSorted()).toEqual([...sent].toSorted());
  });

  test("without a body uses GET", () => {
    const read = { operation: status.id, parameters: { id: "a/b", limit: "5" }, body: {} };
    const text = snippetOf("curl", { operation: status, request: read, origin: "http://localhost:8787" });
    expect(text).toContain("curl 'http://localhost:8787/v2/crawl/a%2Fb?limit=5'");
    expect(text).not.toContain("-d");
  });
});

test("a path contains its parameters, and missing ones are listed", () => {
  const empty = { operation: status.id, parameters: {}, body: {} };
  expect(pathOf(status, { id: "1", limit: "" })).toBe("/v2/crawl/1");
  expect(missingIn(status, empty)).toEqual([{ path: "?.id", label: "ID" }]);
  expect(missingIn(scrape, { ...empty, body: {} })).toEqual([{ path: "url", label: "URL" }]);
  expect(missingIn(scrape, request)).toEqual([]);
});
