import { describe, expect, test } from "vitest";
import { testApp } from "../../fakes/services/test-app.ts";
import { testDeps } from "../../fakes/services/test-deps.ts";
import { processorMs } from "../../processor-time.ts";

/** Of processor time; each of them takes less than a tenth of it. */
const MAX_MS = 3_000;

const URL = "https://harbour.example/";

/** Every place at which a JSON Schema comes in. */
const DOORS: { path: string; bodyOf: (schema: object) => object }[] = [
  { path: "/v2/scrape", bodyOf: (schema) => ({ url: URL, formats: [{ type: "json", schema }] }) },
  { path: "/v2/scrape", bodyOf: (schema) => ({ url: URL, formats: [{ type: "deterministicJson", schema }] }) },
  { path: "/v2/scrape", bodyOf: (schema) => ({ url: URL, formats: [{ type: "changeTracking", modes: ["json"], schema }] }) },
  { path: "/v2/batch/scrape", bodyOf: (schema) => ({ urls: [URL], formats: [{ type: "json", schema }] }) },
  { path: "/v2/crawl", bodyOf: (schema) => ({ url: URL, scrapeOptions: { formats: [{ type: "json", schema }] } }) },
  { path: "/v2/extract", bodyOf: (schema) => ({ urls: [URL], schema }) },
  { path: "/v2/agent", bodyOf: (schema) => ({ prompt: "Find it", schema }) },
  { path: "/v2/monitor", bodyOf: (schema) => ({ name: "a", schedule: { cron: "0 * * * *" }, targets: [{ type: "scrape", urls: [URL], scrapeOptions: { formats: [{ type: "json", schema }] } }] }) },
  { path: "/v2/search", bodyOf: (schema) => ({ query: "a", scrapeOptions: { formats: [{ type: "json", schema }] } }) },
  { path: "/v1/scrape", bodyOf: (schema) => ({ url: URL, formats: ["json"], jsonOptions: { schema } }) },
  { path: "/v1/scrape", bodyOf: (schema) => ({ url: URL, formats: ["extract"], extract: { schema } }) },
  { path: "/v1/extract", bodyOf: (schema) => ({ urls: [URL], schema }) },
  { path: "/v1/deep-research", bodyOf: (schema) => ({ query: "a", formats: ["json"], jsonOptions: { schema } }) },
]; // prettier-ignore

/** As text: no program writes a value of 5,000 levels. */
function nested(levels: number): string {
  return `${'{"type":"object","properties":{"a":'.repeat(levels)}{}${"}}".repeat(levels)}`;
}

function references(levels: number): string {
  const definitions = Array.from({ length: levels }, (_, level) => {
    const next = { $ref: `#/$defs/a${level + 1}` };
    return [`a${level}`, { type: "object", properties: { x: next, y: next, z: next } }];
  });
  return JSON.stringify({
    type: "object",
    properties: { top: { $ref: "#/$defs/a0" } },
    $defs: Object.fromEntries(definitions),
  });
}

describe.each(DOORS)("POST $path", ({ path, bodyOf }) => {
  test.each([
    { why: "5,000 levels deep", schema: nested(5_000), says: /levels deep/ },
    { why: "of 100 levels of three references", schema: references(100), says: /references expand/ },
    { why: "with a pattern of 2,000 characters", schema: `{"type":"object","properties":{"a":{"type":"string","pattern":"${"(a+)+".repeat(400)}"}}}`, says: /pattern/ },
  ])("refuses a schema $why with 400 and says why", async ({ schema, says }) => {
    const { ask } = testApp(testDeps({}));
    const body = JSON.stringify(bodyOf({ place: "here" })).replace('{"place":"here"}', () => schema);
    const refuse = async (): Promise<void> => {
      const response = await ask(path, { method: "POST", body, headers: { "Content-Type": "application/json" } });
      const text = await response.text();
      expect(response.status, text.slice(0, 500)).toBe(400);
      expect(text).toMatch(says);
    };
    expect(await processorMs(refuse)).toBeLessThan(MAX_MS);
  }); // prettier-ignore
});
