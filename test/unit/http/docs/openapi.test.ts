import { isDeepStrictEqual } from "node:util";
import { Validator } from "@seriousme/openapi-schema-validator";
import { beforeAll, expect, test } from "vitest";
import { testApp } from "../../../fakes/services/test-app.ts";
import { operationsOf, type OpenApiDocument } from "../../../../src/ui/api/openapi.ts";
import { schemaValidator } from "../../../schema-validator.ts";

interface Media {
  schema: MediaSchema;
  example?: unknown;
}
interface MediaSchema {
  $ref?: string;
  example?: unknown;
  anyOf?: MediaSchema[];
}
type Content = Record<string, Media>;
interface Operation {
  operationId?: string;
  summary?: string;
  security?: Record<string, string[]>[];
  parameters?: { name: string; in: string; required?: boolean }[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
}

let text: string;
let paths: Record<string, Record<string, Operation>>;
let components: { schemas: Record<string, MediaSchema> };
beforeAll(async () => {
  text = await (await testApp().app.request("/openapi.json")).text();
  ({ paths, components } = JSON.parse(text) as { paths: typeof paths; components: typeof components });
});

const operations = (): [name: string, operation: Operation][] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [`${method} ${path}`, operation]),
  );

test("the document is valid by the OpenAPI specification's own schema", async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(JSON.parse(text) as Record<string, unknown>);
  expect(errors ?? []).toEqual([]);
  expect(valid).toBe(true);
  expect(validator.version).toBe("3.1");
});

test("every reference leads to a part of the document, and every part is referred to", () => {
  const references = new Set([...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name));
  expect(references.size).toBeGreaterThan(10);
  expect([...references].toSorted()).toEqual(Object.keys(components.schemas).toSorted());
  expect(text.match(/"\$ref":"(?!#\/components\/schemas\/)[^"]*"/g)).toBeNull();
});

test("every operation has a summary, a security and an answer for success, and declares its path's parameters", () => {
  const wrong = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { summary, security, responses, parameters = [] }]) => {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).toSorted();
      const declared = parameters.filter((parameter) => parameter.in === "path");
      const problems = [
        summary ? "" : "no summary",
        (security ?? [{ bearer: [] }]).every((scheme) => Object.keys(scheme).every((name) => name === "bearer"))
          ? ""
          : "unknown security scheme",
        Object.keys(responses).some((status) => /^[123]/.test(status)) ? "" : "no successful answer",
        isDeepStrictEqual(named, declared.map(({ name }) => name).toSorted()) ? "" : "other path parameters",
        declared.every(({ required }) => required === true) ? "" : "an optional path parameter",
      ];
      return problems.filter(Boolean).map((problem) => `${method} ${path}: ${problem}`);
    }),
  );
  expect(wrong).toEqual([]);
});

test("no two paths match the same addresses", () => {
  const shapes = Object.keys(paths).map((path) => path.replaceAll(/\{\w+\}/g, "{}"));
  expect(new Set(shapes).size).toBe(shapes.length);
});

test("the document names the origin of the request, and is sent again only when it has changed", async () => {
  const { app } = testApp();
  const origins = ["https://one.example", "http://localhost:8787"];
  for (const origin of origins) {
    const first = await app.request(`${origin}/openapi.json`);
    expect(await first.json()).toMatchObject({ openapi: "3.1.0", servers: [{ url: origin }] });
    const headers = { "If-None-Match": first.headers.get("etag") ?? "" };
    expect((await app.request(`${origin}/openapi.json`, { headers })).status).toBe(304);
    for (const other of origins.filter((each) => each !== origin)) {
      expect((await app.request(`${other}/openapi.json`, { headers })).status).toBe(200);
    }
  }
});

test("every operation has a name of its own", () => {
  const names = operations().map(([, { operationId }]) => operationId);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toEqual(expect.arrayContaining(["postV2Scrape", "getV2CrawlByIdUrls"]));
});

test("every body says how it is refused before it is read", () => {
  for (const [name, { requestBody, responses }] of operations()) {
    if (requestBody === undefined) continue;
    expect(Object.keys(responses), name).toEqual(expect.arrayContaining(["413", "415"]));
  }
});

test("patterns are as JSON Schema knows them, without flags", () => {
  const patterns = [...text.matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(([, pattern = ""]) => pattern);
  expect(patterns.length).toBeGreaterThan(0);
  expect(patterns.filter((pattern) => /\/[a-z]+"$/.test(pattern))).toEqual([]);
});

/** Bytes, of which an example in a text would say nothing. */
const BYTES = new Set(["video/mp4", "application/octet-stream", "application/wacz", "*/*"]);

/** What an operation takes and what it answers when all goes well. */
const contentsOf = ({ requestBody, responses }: Operation): [type: string, media: Media][] =>
  [requestBody?.content, responses["200"]?.content]
    .flatMap((content) => Object.entries(content ?? {}))
    .filter(([type]) => !BYTES.has(type));

/** Its own, or that of its schema; of several kinds of answers, that of the first. */
function exampleOf({ schema, example }: Media): unknown {
  if (example !== undefined) return example;
  const named = schema.$ref === undefined ? schema : components.schemas[schema.$ref.split("/").at(-1) ?? ""];
  const [first] = named?.anyOf ?? [];
  return named?.example ?? (first === undefined ? undefined : exampleOf({ schema: first }));
}

test("every operation shows by examples, valid by their schemas, what it takes and what it answers", () => {
  const wrong: string[] = [];
  for (const [name, operation] of operations()) {
    for (const [type, media] of contentsOf(operation)) {
      const example = exampleOf(media);
      if (example === undefined) {
        wrong.push(`${name} (${type}) has no example`);
        continue;
      }
      const [error] = schemaValidator(media.schema, components).validate(example).errors.toReversed();
      if (error !== undefined) wrong.push(`${name} (${type}): ${error.instanceLocation} ${error.error}`);
    }
  }
  expect(wrong).toEqual([]);
});

test("the header of idempotency keys is described at each operation that honours it, and only there", async () => {
  const { ask } = testApp();
  const [described, honoured]: [string[], string[]] = [[], []];
  for (const [name, operation] of operations()) {
    if (operation.parameters?.some((parameter) => parameter.name === "x-idempotency-key")) described.push(name);
    const [method = "", path = ""] = name.split(" ");
    const media = operation.requestBody?.content["application/json"];
    const response = await ask(path.replaceAll(/\{\w+\}/g, crypto.randomUUID()), {
      method: method.toUpperCase(),
      headers: { "x-idempotency-key": "no UUID", "Content-Type": "application/json" },
      ...(media === undefined ? {} : { body: JSON.stringify(exampleOf(media)) }),
    });
    const text = await response.text();
    if (response.status === 409 && text.includes("Invalid idempotency key")) honoured.push(name);
  }
  expect(honoured).toEqual(described);
  expect(honoured).toHaveLength(27);
});

test("a scrape takes a URL or calls of capabilities, each with its required fields and an example", () => {
  const { schema } = paths["/v2/scrape"]?.["post"]?.requestBody?.content["application/json"] ?? {};
  const names = (schema?.anyOf ?? []).map(({ $ref = "" }) => $ref.split("/").at(-1) ?? "");
  expect(names).toEqual(["ScrapeRequest", "AlexandriaRequest"]);
  const bodies = names.map((name) => components.schemas[name] as MediaSchema & { required?: string[] });
  expect(bodies.map(({ required }) => required)).toEqual([["url"], ["alexandria"]]);
  expect(bodies.map((body) => schemaValidator(body, components).validate(body.example).valid)).toEqual([true, true]);
  // A form asks for one kind of request: the URL's.
  const fields = operationsOf(JSON.parse(text) as OpenApiDocument).find(({ id }) => id === "post /v2/scrape")?.body
    ?.schema;
  expect(Object.keys(fields?.properties ?? {})).toContain("url");
});
