import { describe, expect, test } from "vitest";
import type { Operation } from "../../../src/ui/api/openapi.ts";
import { missingIn, pathOf } from "../../../src/ui/playground/request/request.ts";
import { pythonValue, snippetOf } from "../../../src/ui/playground/snippets.ts";

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
