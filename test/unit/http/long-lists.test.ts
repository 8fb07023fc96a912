import type { RouteConfig } from "@hono/zod-openapi";
import { z } from "zod";
import { expect, test } from "vitest";
import { findLongList } from "../../../src/core/schema/list-limits.ts";
import { ScrapeOptions } from "../../../src/formats/scrape-options.ts";
import { bodySchemaOf } from "../../../src/http/limit-lists.ts";
import { mountMcp } from "../../../src/mcp/mount.ts";
import { v1Routes } from "../../../src/http/v1/index.ts";
import { v2Routes } from "../../../src/http/v2/index.ts";
import { testApp } from "../../fakes/services/test-app.ts";
import { testDeps } from "../../fakes/services/test-deps.ts";

const URL = "https://a.example/";
const many = (count: number, item: unknown = {}): unknown[] => Array.from({ length: count }, () => item);
const withScrapes = (scrapeOptions: object) => ({ type: "scrape", urls: [URL], scrapeOptions });

test.each([
  { path: "/v2/scrape", body: { url: URL, actions: many(40_000) }, field: "actions" },
  { path: "/v2/scrape", body: { url: URL, formats: many(40_000) }, field: "formats" },
  { path: "/v2/scrape", body: { url: URL, formats: [{ type: "attributes", selectors: many(40_000) }] }, field: "formats[0].selectors" },
  { path: "/v2/scrape", body: { url: URL, parsers: many(40_000) }, field: "parsers" },
  { path: "/v2/scrape", body: { alexandria: many(40_000) }, field: "alexandria" },
  { path: "/v2/batch/scrape", body: { urls: many(20_001, 7) }, field: "urls" },
  { path: "/v2/crawl", body: { url: URL, includePaths: many(40_000) }, field: "includePaths" },
  { path: "/v2/crawl", body: { url: URL, scrapeOptions: { actions: many(40_000) } }, field: "scrapeOptions.actions" },
  { path: "/v2/crawl", body: { url: URL, webhook: { url: URL, events: many(40_000) } }, field: "webhook.events" },
  { path: "/v2/search", body: { query: "a", sources: many(40_000) }, field: "sources" },
  { path: "/v2/search", body: { query: "a", categories: many(40_000) }, field: "categories" },
  { path: "/v2/agent", body: { prompt: "a", urls: many(40_000) }, field: "urls" },
  { path: "/v2/extract", body: { urls: many(40_000) }, field: "urls" },
  { path: "/v2/parse", body: { uploadRef: "a", formats: many(40_000) }, field: "formats" },
  { path: "/v2/monitor", body: { name: "a", targets: many(40_000) }, field: "targets" },
  { path: "/v2/monitor", body: { name: "a", targets: [withScrapes({ actions: many(40_000) })] }, field: "targets[0].scrapeOptions.actions" },
  { path: "/v2/feedback", body: { issues: many(40_000) }, field: "issues" },
  { path: "/v1/scrape", body: { url: URL, actions: many(40_000) }, field: "actions" },
  { path: "/v1/batch/scrape", body: { urls: [URL], formats: many(40_000) }, field: "formats" },
])("the length of $field at $path is checked before its entries", async ({ path, body, field }) => {
  const response = await testApp(testDeps()).post(path, body);
  const { details } = (await response.json()) as { details: { code: string; message: string }[] };
  expect(response.status).toBe(400);
  expect(details).toHaveLength(1);
  expect(details[0]?.code).toBe("too_big");
  expect(details[0]?.message).toMatch(new RegExp(`^${field.replaceAll(/[[\].]/g, String.raw`\$&`)}: expected at most [\\d]+ items, got`));
}); // prettier-ignore

test("an endpoint with an error of its own keeps it", async () => {
  const { post } = testApp(testDeps());
  expect(await (await post("/v2/feedback", { tags: many(200) })).json()).toMatchObject({
    feedbackErrorCode: "INVALID_BODY",
  });
});

test("a map of many fields is refused", async () => {
  const headers = Object.fromEntries(many(1_001).map((_, at) => [`x-${at}`, 7]));
  const response = await testApp(testDeps()).post("/v2/scrape", { url: URL, headers });
  expect(await response.json()).toMatchObject({ details: [{ message: "headers: expected at most 1000 fields" }] });
});

test("the options of an uploaded file have the same limits", async () => {
  const form = new FormData();
  form.set("file", new File(["text"], "a.txt", { type: "text/plain" }));
  form.set("options", JSON.stringify({ formats: many(40_000) }));
  const response = await testApp(testDeps()).ask("/v2/parse", { method: "POST", body: form });
  expect(await response.json()).toMatchObject({ details: [{ code: "too_big", path: ["formats"] }] });
});

test("a tool call has the limits of its route", async () => {
  const call = { name: "orbweaver_scrape", arguments: { url: URL, actions: many(40_000) } };
  const { app, ask } = testApp(testDeps());
  mountMcp(app);
  const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
  const list = await ask("/mcp", { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }) }); // prettier-ignore
  const name = /"name":"(\w*scrape)"/.exec(await list.text())?.[1];
  const body = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { ...call, name } });
  const answer = await (await ask("/mcp", { method: "POST", headers, body })).text();
  expect(answer).toContain("actions: expected at most 100 items, got 40000 items");
  expect(answer.length).toBeLessThan(5_000);
});

test("what a 400 repeats of a request is bounded", async () => {
  const long = "k".repeat(1_000_000);
  const { post } = testApp(testDeps());
  for (const body of [
    { url: URL, [long]: 1 },
    { url: URL, headers: { [long]: 7 } },
    { url: `ftp://${long}` },
    { url: URL, formats: [long] },
    { url: URL, actions: many(5, { type: long, [long]: 1 }) },
  ]) {
    const response = await post("/v2/scrape", body);
    expect(response.status).toBe(400);
    expect((await response.text()).length).toBeLessThan(20_000);
  }
});

const bodies = [...v2Routes, ...v1Routes].flatMap(({ route }: { route: RouteConfig }) => {
  const schema = bodySchemaOf(route);
  return schema === undefined ? [] : [{ name: `${route.method} ${route.path}`, schema }];
});

test("every list of every request has a limit", () => {
  const long = many(20_001);
  const unlimited = bodies.flatMap(({ name, schema }) =>
    listsOf(schema, []).flatMap((path) =>
      findLongList(schema, path.reduceRight<unknown>((inner, step) => (step === 0 ? [inner] : { [step]: inner }), long)) === undefined ? [`${name} ${path.join(".")}`] : []),
  ); // prettier-ignore
  expect(bodies.length).toBeGreaterThan(20);
  expect(unlimited).toEqual([]);
});

/** Returns the paths of a schema's lists; 0 stands for an entry of a list. */
function listsOf(schema: z.core.$ZodType, path: (string | 0)[]): (string | 0)[][] {
  const { _zod: { def } } = schema as z.core.$ZodTypes; // prettier-ignore
  if (def.type === "array") return [path, ...listsOf(def.element, [...path, 0])];
  if (def.type === "object")
    return Object.entries(def.shape).flatMap(([name, field]) => listsOf(field, [...path, name]));
  if (def.type === "union") return def.options.flatMap((option) => listsOf(option, path));
  if (def.type === "pipe") return [...listsOf(def.in, path), ...listsOf(def.out, path)];
  return "innerType" in def ? listsOf(def.innerType as z.core.$ZodType, path) : [];
}

test("of a union, the longest limit holds", () => {
  const schema = z.object({
    a: z.union([z.array(z.string()).max(3), z.array(z.number()).max(5), z.string()]),
    b: z.array(z.union([z.object({ c: z.array(z.int()).max(2) }), z.object({ d: z.int() })])).max(2),
  });
  expect(findLongList(schema, { a: [1, 2, 3, 4, 5], b: [{ c: [1, 2] }, { d: 1 }] })).toBeUndefined();
  expect(findLongList(schema, { a: many(6) })?.path).toEqual(["a"]);
  expect(findLongList(schema, { b: [{}, { c: [1, 2, 3] }] })).toMatchObject({ path: ["b", 1, "c"], maximum: 2 });
  expect(findLongList(schema, { b: many(3) })).toMatchObject({ path: ["b"] });
  expect(findLongList(schema, [7, null])).toBeUndefined();
});

const long = (chars: number): string => "x".repeat(chars);

test.each([
  { path: "/v2/scrape", body: { url: URL, origin: long(1_001) }, field: "origin", chars: 1_000 },
  { path: "/v2/scrape", body: { url: URL, integration: `_${long(1_000)}` }, field: "integration", chars: 1_000 },
  { path: "/v2/scrape", body: { url: URL, includeTags: [long(20_001)] }, field: "includeTags[0]", chars: 20_000 },
  { path: "/v2/scrape", body: { url: URL, actions: [{ type: "executeJavascript", script: long(1_000_001) }] }, field: "actions[0].script", chars: 1_000_000 },
  { path: "/v2/scrape", body: { url: URL, useMock: long(20_001) }, field: "useMock", chars: 20_000 },
  { path: "/v2/map", body: { url: URL, search: long(20_001) }, field: "search", chars: 20_000 },
  { path: "/v2/crawl", body: { url: URL, webhook: { url: URL, metadata: { a: long(20_001) } } }, field: "webhook.metadata.a", chars: 20_000 },
  { path: "/v1/scrape", body: { url: URL, origin: long(1_001) }, field: "origin", chars: 1_000 },
  { path: "/v2/parse", body: { uploadRef: "a", origin: long(1_001) }, field: "origin", chars: 1_000 },
])("the text $field at $path has $chars characters at most", async ({ path, body, field, chars }) => {
  const response = await testApp(testDeps()).post(path, body);
  expect([response.status, await response.json()]).toMatchObject([400, { details: [{ code: "too_big", message: expect.stringContaining(`${field}: expected at most ${chars} characters`) }] }]);
}); // prettier-ignore

test("stored options may have longer texts than requests", () => {
  const stored = { includeTags: [long(30_000)], actions: [{ type: "write", text: long(1_000_001) }] };
  expect(ScrapeOptions.safeParse(stored).success).toBe(true);
});
