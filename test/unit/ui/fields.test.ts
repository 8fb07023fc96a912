import { beforeAll, describe, expect, test } from "vitest";
import { operationsOf } from "../../../src/ui/api/openapi.ts";
import type { OpenApiDocument, Operation } from "../../../src/ui/api/openapi.ts";
import { fieldsOf } from "../../../src/ui/playground/request/fields.ts";
import type { Field } from "../../../src/ui/playground/request/fields.ts";
import { splitFields } from "../../../src/ui/playground/request/first-fields.ts";
import { missingFields } from "../../../src/ui/playground/request/missing-fields.ts";
import { findOptions, groupOptions } from "../../../src/ui/playground/request/option-groups.ts";
import { testApp } from "../../fakes/services/test-app.ts";

let operations: Operation[];
beforeAll(async () => {
  const response = await testApp().ask("http://localhost/openapi.json");
  operations = operationsOf((await response.json()) as OpenApiDocument);
});

function operation(id: string): Operation {
  const found = operations.find((one) => one.id === id);
  if (found === undefined) throw new Error(`There is no ${id}`);
  return found;
}

const formOf = (id: string): Field[] => fieldsOf(operation(id).body?.schema ?? {});
const field = (id: string, name: string): Field | undefined => formOf(id).find((one) => one.name === name);

describe("the forms of the service's schemas", () => {
  test.each([
    { id: "post /v2/scrape", name: "url", like: { kind: "text", isUrl: true, isRequired: true } },
    {
      id: "post /v2/scrape",
      name: "formats",
      like: { kind: "choices", plain: expect.arrayContaining(["markdown", "screenshot"]) },
    },
    { id: "post /v2/scrape", name: "onlyMainContent", like: { kind: "boolean" } },
    { id: "post /v2/scrape", name: "waitFor", like: { kind: "number" } },
    { id: "post /v2/scrape", name: "includeTags", like: { kind: "lines", isNumbers: false } },
    { id: "post /v2/scrape", name: "actions", like: { kind: "steps" } },
    { id: "post /v2/scrape", name: "headers", like: { kind: "json" } },
    { id: "post /v2/crawl", name: "sitemap", like: { kind: "choice", options: ["skip", "include", "only"] } },
    { id: "post /v2/crawl", name: "scrapeOptions", like: { kind: "group" } },
    { id: "post /v2/crawl", name: "prompt", like: { kind: "text", isLong: true } },
    { id: "post /v2/batch/scrape", name: "urls", like: { kind: "lines", isRequired: true } },
    { id: "post /v2/parse", name: "file", like: { kind: "file", isRequired: true } },
  ])("$name of $id", ({ id, name, like }) => {
    expect(field(id, name)).toMatchObject(like);
  });

  test("offer each option of a format and of a step", () => {
    const formats = field("post /v2/scrape", "formats");
    const screenshot = formats?.kind === "choices" ? formats.variants["screenshot"] : [];
    expect(screenshot?.map(({ name }) => name)).toEqual(expect.arrayContaining(["fullPage", "quality", "viewport"]));
    const actions = field("post /v2/scrape", "actions");
    const kinds = actions?.kind === "steps" ? Object.keys(actions.variants) : [];
    expect(kinds).toEqual(expect.arrayContaining(["wait", "click", "write", "press", "scroll"]));
  });

  test("contain every field, and the first ones first", () => {
    for (const one of operations.filter(({ body }) => body !== undefined)) {
      const fields = fieldsOf(one.body?.schema ?? {});
      const { first, more, old } = splitFields(one, fields);
      expect(first.length + more.length + old.length, one.id).toBe(fields.length);
      expect(groupOptions(more).flatMap((group) => group.fields)).toHaveLength(more.length);
      for (const { isRequired, name } of [...more, ...old]) expect(isRequired, `${one.id} ${name}`).toBe(false);
    }
    const { first } = splitFields(operation("post /v2/scrape"), formOf("post /v2/scrape"));
    expect(first.map(({ name }) => name)).toEqual(["url", "formats", "onlyMainContent"]);
  });

  test("group the options of a scrape, fold those for old clients, and find them by name and description", () => {
    const { more, old } = splitFields(operation("post /v2/scrape"), formOf("post /v2/scrape"));
    expect(groupOptions(more).map(({ title }) => title)).toEqual(["Content", "Page loading", "Cache and storage"]);
    expect(old.map(({ name }) => name)).toEqual(expect.arrayContaining(["useMock", "__forceFirePDF", "origin"]));
    expect(findOptions(more, "css selectors keep").map(({ name }) => name)).toEqual(["includeTags"]);
    expect(findOptions(more, "cache").map(({ name }) => name)).toContain("maxAge");
    const crawl = splitFields(operation("post /v2/crawl"), formOf("post /v2/crawl"));
    expect(crawl.old.map(({ name }) => name)).toEqual([
      "origin",
      "integration",
      "ignoreSitemap",
      "maxDepth",
      "allowBackwardLinks",
    ]);
  });

  test("have a description of every option of a scrape", () => {
    for (const { name, hint } of formOf("post /v2/scrape")) expect(hint, name).toBeTruthy();
  });
});

describe("required fields", () => {
  const missing = (body: Record<string, unknown>): string[] =>
    missingFields(formOf("post /v2/scrape"), body).map(({ label }) => label);

  test.each([
    { body: {}, labels: ["URL"] },
    { body: { url: "https://a.example/", formats: ["markdown", { type: "json" }] }, labels: [] },
    {
      body: { url: "https://a.example/", formats: [{ type: "attributes" }, { type: "question" }] },
      labels: ["Formats › Attributes › Selectors", "Formats › Question › Question"],
    },
    {
      body: { url: "https://a.example/", actions: [{ type: "wait" }, { type: "click" }] },
      labels: ["Actions › 2. Click › Selector"],
    },
    { body: { url: "https://a.example/", actions: [{ type: "click", selector: "a" }] }, labels: [] },
  ])("of $body are named where they are", ({ body, labels }) => {
    expect(missing(body)).toEqual(labels);
  });
});
