import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { compareWithClient, type Compatibility } from "../../../src/tools/docs/compatibility/compatibility-table.ts";
import type { OpenApiDocument } from "../../../src/tools/docs/compatibility/openapi-fields.ts";
import { readDeclarations } from "../../../src/tools/docs/compatibility/read-declarations.ts";
import { testApp } from "../../fakes/test-app.ts";

const ROOT = join(import.meta.dirname, "../../..");
const CLIENT = join(ROOT, "node_modules/firecrawl");

describe("the table of the client's fields", () => {
  let openapi: OpenApiDocument;
  let declarations: Map<string, string[]>;
  let compared: Compatibility;
  beforeAll(async () => {
    openapi = (await (await testApp().app.request("/openapi.json")).json()) as OpenApiDocument;
    declarations = readDeclarations(readFileSync(join(CLIENT, "dist/index.d.ts"), "utf8"));
    const { version } = JSON.parse(readFileSync(join(CLIENT, "package.json"), "utf8")) as { version: string };
    compared = compareWithClient(declarations, { openapi, clientVersion: version });
  });

  test("classifies every field, and gives reasons only for fields that need one", () => {
    expect(compared.unclassified).toEqual([]);
    expect(compared.stale).toEqual([]);
  });

  test("is the document; `vitest run -u` of this file writes it", async () => {
    await expect(compared.markdown).toMatchFileSnapshot(join(ROOT, "src/docs/compatibility.md"));
  });

  test("notices a field that a new version of the client adds", () => {
    const newer = new Map(declarations).set("ScrapeCallOptions", ["formats", "telepathy"]);
    const { unclassified, stale } = compareWithClient(newer, { openapi, clientVersion: "5" });
    expect(unclassified).toEqual(["ScrapeCallOptions.telepathy"]);
    expect(stale).toEqual(["ScrapeCallOptions.autoResume"]);
  });
});

test("declarations are read with base types, unions, intersections and parameters", () => {
  const fields = readDeclarations(`
    interface Base { a?: string; "b-c": number }
    export interface Derived extends Base { d: { e: string } }
    type Both = Derived & { f: boolean };
    type Either = Base | { g: string };
    declare function send(http: Base, args: { h: string } & Omit<Base, "a">): void;
  `);
  expect(Object.fromEntries(fields)).toMatchObject({
    Derived: ["a", "b-c", "d"],
    Both: ["a", "b-c", "d", "f"],
    Either: ["a", "b-c", "g"],
    send: ["h"],
  });
});
