import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PROJECT_ROOT } from "../../../../src/tools/service/wrangler.ts";

/** Modules of libraries that import what an alias of wrangler.toml replaces. */
const IMPORTERS: Record<string, string[]> = {
  "@ai-sdk/gateway": ["ai/dist/index.mjs"],
  jszip: ["mammoth/lib/zipfile.js"],
  xmlbuilder: ["mammoth/lib/xml/writer.js"],
  "../locales/index.js": ["zod/v4/core/index.js", "zod/v4/classic/external.js", "zod/v4/mini/external.js"],
  "../validation/ajv-provider.js": ["@modelcontextprotocol/sdk/dist/esm/server/index.js"],
  "zod/v3": ["@ai-sdk/provider-utils/dist/index.mjs", "@modelcontextprotocol/sdk/dist/esm/server/zod-compat.js"],
  "zod-to-json-schema": ["@modelcontextprotocol/sdk/dist/esm/server/zod-json-schema-compat.js"],
  "./from-json-schema.js": ["zod/v4/classic/external.js"],
  "./entities": ["@xmldom/xmldom/lib/dom-parser.js"],
  "./Device.js": ["@cloudflare/puppeteer/lib/esm/puppeteer/common/common.js"],
};

const read = (path: string): string => readFileSync(join(PROJECT_ROOT, path), "utf8");
const table = /^\[alias\]\n((?:".*\n)+)/m.exec(read("wrangler.toml"))?.[1] ?? "";
const aliases = [...table.matchAll(/^"(.+)" = "(.+)"$/gm)].map(([, from = "", to = ""]) => ({ from, to }));

test("the aliases of wrangler.toml are those whose importers are known", () => {
  expect(aliases.map(({ from }) => from).toSorted()).toEqual(Object.keys(IMPORTERS).toSorted());
});

test.each(aliases)("the libraries still import $from, and its replacement is there", ({ from, to }) => {
  expect(existsSync(join(PROJECT_ROOT, to))).toBe(true);
  for (const importer of IMPORTERS[from] ?? []) {
    expect(read(`node_modules/${importer}`), importer).toMatch(new RegExp(`["']${RegExp.escape(from)}["']`));
  }
});
