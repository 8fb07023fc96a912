import { createConfig, lintFromString } from "@redocly/openapi-core";
import { beforeAll, expect, test } from "vitest";
import { testApp } from "../../fakes/test-app.ts";
import { schemaValidator } from "../../schema-validator.ts";

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

test("the linter finds nothing wrong with the OpenAPI document", async () => {
  const config = await createConfig({
    extends: ["recommended"],
    rules: {
      // A description of a tag, and a failure of a health check, would tell nobody anything.
      "tag-description": "off",
      "operation-4xx-response": "off",
      // Every start prints another address; the document names the one that it was read from.
      "no-server-example.com": "off",
    },
  });
  const problems = await lintFromString({ source: text, config });
  expect(problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`)).toEqual([]);
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
const BYTES = new Set(["video/mp4", "application/octet-stream", "*/*"]);

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
