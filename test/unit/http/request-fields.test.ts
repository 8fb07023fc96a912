import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { SCRAPE_OPTION_FIELDS } from "../../../src/formats/scrape-options.ts";
import { V1_OPTION_FIELDS } from "../../../src/http/v1/translate.ts";
import { MAP_FIELDS, toMapRequest } from "../../../src/http/map/map-request.ts";
import { MonitorBody } from "../../../src/http/monitors/monitor-body.ts";
import type { MapRequest } from "../../../src/services/map/map-site.ts";
import type { Deps } from "../../../src/services/deps.ts";
import { agentService } from "../../fakes/services/agent-service.ts";
import { fixedClock } from "../../fakes/fixed-clock.ts";
import { testApp } from "../../fakes/services/test-app.ts";
import { PRICES } from "../../fakes/services/monitor-service.ts";
import { ADMIN_KEY, testDeps } from "../../fakes/services/test-deps.ts";
import type { Entries, Entry } from "./request-fields/entries.ts";
import { JOB_FIELDS, PAGE } from "./request-fields/job-fields.ts";
import { OTHER_FIELDS } from "./request-fields/other-fields.ts";

/**
 * Every field of every request body has an entry: a test of its effect, a warning, or a refusal. Scrape options have
 * tables of their own, whose completeness `e2e/scrape/scrape-options.test.ts` and `e2e/scrape/scrape-v1.test.ts` check.
 */
const TABLE: Record<string, Entries> = { ...JOB_FIELDS, ...OTHER_FIELDS };
const SCRAPES = ["post /v2/scrape", "post /v1/scrape"];
const HAS_SCRAPE_OPTIONS = ["post /v2/batch/scrape", "post /v1/batch/scrape", "post /v2/crawl/{id}/reextract"];
const SCRAPE_OPTIONS = new Set([...Object.keys(SCRAPE_OPTION_FIELDS), ...Object.keys(V1_OPTION_FIELDS)]);

/** The smallest body of each operation whose entries send requests. */
const BODIES: Record<string, object> = {
  "post /v2/crawl": { url: PAGE },
  "post /v1/crawl": { url: PAGE },
  "post /v2/batch/scrape": { urls: [PAGE] },
  "post /v1/batch/scrape": { urls: [PAGE] },
  "post /v2/extract": { urls: [PAGE], prompt: "The name" },
  "post /v1/extract": { urls: [PAGE], prompt: "The name" },
  "post /v2/agent": { prompt: "Which ferries?" },
  "post /v1/deep-research": { query: "ferries" },
  "post /v1/llmstxt": { url: PAGE },
  "post /v2/map": { url: PAGE },
  "post /v1/map": { url: PAGE },
  "post /v2/search": { query: "ferries" },
  "post /v2/scrape/{id}/interact": { code: "1" },
  "post /v2/monitor": PRICES,
  "patch /v2/monitor/{id}": PRICES,
  "post /v2/team/keys": { name: "Harbour" },
};

interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}
interface Document {
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } }>>;
  components: { schemas: Record<string, Schema> };
}

/** Returns the fields of a schema by path; those of scrape options are left out. */
function fieldsOf(schema: Schema, { document, place }: { document: Document; place: string }): string[] {
  const name = schema.$ref?.split("/").at(-1);
  if (name !== undefined) return fieldsOf(document.components.schemas[name] ?? {}, { document, place });
  const own = Object.entries(schema.properties ?? {}).flatMap(([field, inner]) => [
    place + field,
    ...(field === "scrapeOptions" ? [] : fieldsOf(inner, { document, place: `${place}${field}.` })),
  ]);
  const { items, anyOf = [], oneOf = [], allOf = [] } = schema;
  const others = [...(items === undefined ? [] : [items]), ...anyOf, ...oneOf, ...allOf];
  return [...own, ...others.flatMap((inner) => fieldsOf(inner, { document, place }))];
}

async function acceptedFields(): Promise<Record<string, string[]>> {
  const document = (await (await testApp().app.request("/openapi.json")).json()) as Document;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody }]) => {
      const contents = Object.values(requestBody?.content ?? {});
      const fields = contents.flatMap(({ schema }) => fieldsOf(schema, { document, place: "" }));
      return fields.length === 0 ? [] : [[`${method} ${path}`, [...new Set(fields)]] as [string, string[]]];
    }),
  );
  return Object.fromEntries(operations);
}

test("every field of a request body has an entry, and every entry a field", async () => {
  const accepted = await acceptedFields();
  for (const operation of SCRAPES) delete accepted[operation];
  for (const operation of HAS_SCRAPE_OPTIONS) {
    accepted[operation] = (accepted[operation] ?? []).filter((path) => !SCRAPE_OPTIONS.has(path.split(".")[0] ?? ""));
  }
  const sorted = (fields: string[]) => fields.toSorted();
  const listed = Object.fromEntries(Object.entries(TABLE).map(([name, fields]) => [name, sorted(Object.keys(fields))]));
  expect(listed).toEqual(Object.fromEntries(Object.entries(accepted).map(([name, fields]) => [name, sorted(fields)])));
});

/** A service whose job starts are recorded and not run. */
function recordingService() {
  const started: unknown[] = [];
  const start = async (_id: string, job: { specification: string }): Promise<boolean> => {
    const { id: _, ...specification } = JSON.parse(job.specification) as { id: string; record?: object };
    // Every field changes the fingerprint of the request.
    specification.record = { ...specification.record, fingerprint: "" };
    started.push({ ...job, specification });
    return true;
  };
  const clock = fixedClock(1_000_000);
  const deps = testDeps({
    clock,
    sleep: async (ms) => void clock.advance(ms),
    // Only the start of a job is used.
    jobs: { insert: async () => undefined } as unknown as Deps["jobs"],
    frontiers: { start } as unknown as Deps["frontiers"],
    stepJobs: { start, progress: async () => ({ status: "scraping" }) } as unknown as Deps["stepJobs"],
  });
  return { ...testApp(deps), started };
}

const MapFields = z.object(MAP_FIELDS);
const readMap = (body: object): MapRequest => toMapRequest(MapFields.parse(body), "include");

/** How the operations that start no job read a body. */
const READERS: Record<string, (body: object) => unknown> = {
  "post /v2/map": readMap,
  "post /v1/map": readMap,
  "post /v2/monitor": (body) => MonitorBody.parse(body),
  "patch /v2/monitor/{id}": (body) => MonitorBody.parse(body),
  "post /v2/team/keys": async (body) => {
    const response = await testApp().post("/v2/team/keys", body, { key: ADMIN_KEY });
    const { data } = (await response.json()) as { data: { limits: object } };
    return data.limits;
  },
};

async function startedBy(operation: string, more: object): Promise<unknown> {
  const reader = READERS[operation];
  if (reader !== undefined) return await reader({ ...BODIES[operation], ...more });
  const { post, started } = recordingService();
  const response = await post(operation.split(" ")[1] ?? "", { ...BODIES[operation], ...more });
  expect(await response.text()).not.toContain('"success":false');
  expect(started).toHaveLength(1);
  return started[0];
}

const TEST_ROOT = join(import.meta.dirname, "../..");

async function show(operation: string, field: string, entry: Entry): Promise<void> {
  const path = (operation.split(" ")[1] ?? "").replace("{id}", "01a1fca9-c0e6-70a0-9c2a-f06008640789");
  const name = field.split(".").at(-1) ?? "";
  switch (entry.kind) {
    case "changes":
      expect(await startedBy(operation, entry.more)).not.toEqual(await startedBy(operation, entry.without));
      return;
    case "named": {
      if (operation.endsWith("/map")) {
        expect(readMap({ ...BODIES[operation], ...entry.more }).warnings.join(" ")).toContain(field.split(".")[0]);
        return;
      }
      const { post } = agentService({ pages: { [PAGE]: "<h1>Ferries</h1><p>They sail at nine.</p>" } });
      const response = await post(path, { ...BODIES[operation], ...entry.more });
      const { warning } = (await response.json()) as { warning?: string };
      expect(warning).toContain(field.split(".")[0]);
      return;
    }
    case "refused": {
      const method = (operation.split(" ")[0] ?? "").toUpperCase();
      const body = JSON.stringify({ ...BODIES[operation], ...entry.more });
      const { status } = await testApp().ask(path, { method, body, headers: { "Content-Type": "application/json" } });
      expect([400, 403]).toContain(status);
      return;
    }
    case "tested": {
      const file = join(TEST_ROOT, entry.file);
      expect(existsSync(file)).toBe(true);
      expect(readFileSync(file, "utf8")).toMatch(new RegExp(`\\b${name}(?:Ms)?\\b`));
      return;
    }
    case "caller":
      expect(["origin", "integration", "toolDetail"]).toContain(name);
  }
}

const WITH_FIELDS = Object.entries(TABLE).filter(([, entries]) => Object.keys(entries).length > 0);

describe.each(WITH_FIELDS)("%s", (operation, entries) => {
  test.each(Object.entries(entries))("%s is accounted for", (field, entry) => show(operation, field, entry));
});

describe("null stands for a missing value", () => {
  test.each([
    { operation: "post /v2/extract", unset: { schema: null, systemPrompt: null, prompt: null } },
    { operation: "post /v1/extract", unset: { schema: null, systemPrompt: null, prompt: null } },
    { operation: "post /v2/agent", unset: { schema: null } },
    { operation: "post /v2/batch/scrape", unset: { formats: [{ type: "json", schema: null, prompt: null }] } },
    {
      operation: "post /v2/crawl",
      unset: { scrapeOptions: { formats: ["markdown", { type: "changeTracking", schema: null, prompt: null }] } },
    },
    {
      operation: "post /v1/batch/scrape",
      unset: { formats: ["json"], jsonOptions: { schema: null, prompt: null, systemPrompt: null } },
    },
    {
      operation: "post /v1/deep-research",
      unset: { formats: ["json"], jsonOptions: { schema: null, prompt: null, systemPrompt: null } },
    },
  ])("of $operation", async ({ operation, unset }) => {
    const absent = JSON.parse(JSON.stringify(unset, (_key, value: unknown) => value ?? undefined)) as object;
    const required = operation.endsWith("/extract") ? { prompt: undefined } : {};
    const started = JSON.stringify(await startedBy(operation, unset));
    expect(JSON.parse(started)).toEqual(
      JSON.parse(JSON.stringify(await startedBy(operation, { ...required, ...absent }))),
    );
  });
});

test.each([
  { operation: "post /v2/extract", more: { scrapeOptions: { formats: ["markdown"] } }, named: "scrapeOptions.formats" },
  { operation: "post /v1/extract", more: { scrapeOptions: { formats: ["markdown"] } }, named: "scrapeOptions.formats" },
  { operation: "post /v2/extract", more: { scrapeOptions: { formats: ["json"] } }, named: undefined },
  { operation: "post /v2/extract", more: { scrapeOptions: { formats: [] } }, named: undefined },
  {
    operation: "post /v2/extract",
    more: { scrapeOptions: { formats: [{ type: "json", prompt: "Prices" }] } },
    named: "scrapeOptions.formats",
  },
  {
    operation: "post /v2/extract",
    more: { scrapeOptions: { formats: [{ type: "json", schema: { type: "object" } }] } },
    named: "scrapeOptions.formats",
  },
  {
    operation: "post /v2/extract",
    more: { scrapeOptions: { formats: [{ type: "json", prompt: null }] } },
    named: undefined,
  },
  {
    operation: "post /v1/extract",
    more: { scrapeOptions: { formats: ["extract"], extract: { prompt: "Prices" } } },
    named: "scrapeOptions.formats",
  },
  { operation: "post /v2/extract", more: { timeout: 600_001 }, named: "timeout" },
  { operation: "post /v2/extract", more: { timeout: 600_000 }, named: undefined },
])("the warning of $operation with $more names $named", async ({ operation, more, named }) => {
  const { post } = recordingService();
  const response = await post(operation.split(" ")[1] ?? "", { ...BODIES[operation], ...more });
  const { success, warning } = (await response.json()) as { success: boolean; warning?: string };
  expect(success).toBe(true);
  expect(warning?.split(":")[0]).toBe(named);
});

test("the warning of a map names a timeout that is lowered", () => {
  expect(readMap({ url: PAGE, timeout: 120_001 }).warnings).toEqual([expect.stringMatching(/^timeout: .* 120000 ms/)]);
  expect(readMap({ url: PAGE, timeout: 120_000 }).warnings).toEqual([]);
});
