import { beforeAll, expect, test } from "vitest";
import { testApp } from "../../fakes/services/test-app.ts";

interface Schema {
  $ref?: string;
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}
type Content = Record<string, { schema: Schema }>;
interface Operation {
  summary?: string;
  parameters?: { name: string; in: string; description?: string }[];
  requestBody?: { content: Content };
  responses: Record<string, { description?: string; content?: Content }>;
}
interface Described {
  name: string;
  description: string;
}

const FEWEST_WORDS = 3;

let paths: Record<string, Record<string, Operation>>;
let components: { schemas: Record<string, Schema> };
beforeAll(async () => {
  const answer = await testApp().app.request("/openapi.json");
  ({ paths, components } = (await answer.json()) as { paths: typeof paths; components: typeof components });
});

const operations = (): [name: string, operation: Operation][] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [`${method} ${path}`, operation]),
  );

const resolve = (schema: Schema): Schema =>
  schema.$ref === undefined ? schema : (components.schemas[schema.$ref.split("/").at(-1) ?? ""] ?? schema);

/** The description of a value: its own, or that of the component that it refers to. */
function descriptionOf(schema: Schema): string {
  if (schema.description !== undefined) return schema.description;
  const own = (schema.allOf ?? []).map(descriptionOf).find((text) => text !== "");
  return own ?? (schema.$ref === undefined ? "" : (resolve(schema).description ?? ""));
}

/** Every property of a schema at any depth. A component that occurs in several places is listed once. */
function propertiesOf(schema: Schema, place: string, seen: Set<string>): Described[] {
  if (schema.$ref !== undefined) {
    const isKnown = seen.has(schema.$ref);
    seen.add(schema.$ref);
    const component = schema.$ref.split("/").at(-1) ?? "";
    return isKnown ? [] : propertiesOf(resolve(schema), component, seen);
  }
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => [
    { name: `${place}.${name}`, description: descriptionOf(inner) },
    ...propertiesOf(inner, `${place}.${name}`, seen),
  ]);
  const { items, additionalProperties: extra, anyOf = [], oneOf = [], allOf = [] } = schema;
  const others = [items, typeof extra === "object" ? extra : undefined, ...anyOf, ...oneOf, ...allOf];
  return [...own, ...others.flatMap((inner) => (inner === undefined ? [] : propertiesOf(inner, place, seen)))];
}

function fieldsOf(contents: [place: string, content: Content | undefined][]): Described[] {
  const seen = new Set<string>();
  return contents.flatMap(([place, content = {}]) =>
    Object.values(content).flatMap(({ schema }) => propertiesOf(schema, place, seen)),
  );
}

/** Names of what has no description, or one that is shorter than a phrase. */
const undescribed = (fields: readonly Described[]): string[] =>
  fields.filter(({ description }) => description.split(/\s+/).length < FEWEST_WORDS).map(({ name }) => name);

test("every parameter has a description", () => {
  const parameters = operations().flatMap(([name, { parameters: own = [] }]) =>
    own.map((parameter) => ({ name: `${name} ${parameter.name}`, description: parameter.description ?? "" })),
  );
  expect(parameters.length).toBeGreaterThan(50);
  expect(undescribed(parameters)).toEqual([]);
});

test("every field of a request body has a description", () => {
  const fields = fieldsOf(operations().map(([name, { requestBody }]) => [name, requestBody?.content]));
  expect(fields.length).toBeGreaterThan(500);
  expect(undescribed(fields)).toEqual([]);
});

test("every field of a response has a description", () => {
  const fields = fieldsOf(
    operations().flatMap(([name, { responses }]) =>
      Object.entries(responses).map(([status, { content }]): [string, Content | undefined] => [
        `${name} ${status}`,
        content,
      ]),
    ),
  );
  expect(fields.length).toBeGreaterThan(500);
  expect(undescribed(fields)).toEqual([]);
});

test("every operation and every response is described", () => {
  const texts = operations().flatMap(([name, { summary = "", responses }]) => [
    { name, description: summary },
    ...Object.entries(responses).map(([status, { description = "" }]) => ({ name: `${name} ${status}`, description })),
  ]);
  expect(texts.filter(({ description }) => description.trim() === "").map(({ name }) => name)).toEqual([]);
});
