import { expect, test } from "vitest";
import type { Engine } from "../../../../src/engines/engine.ts";
import { measuredEngine } from "../../../../src/engines/measured-engine.ts";
import { noTelemetry } from "../../../fakes/no-telemetry.ts";
import { testApp } from "../../../fakes/services/test-app.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

test("a scrape has one span for each stage, and one for each load of an engine inside of the first", async () => {
  const spans: string[] = [];
  const open: string[] = [];
  const telemetry = {
    ...noTelemetry(),
    span: async <Value>(name: string, work: () => Promise<Value>): Promise<Value> => {
      spans.push([...open, name].join(" > "));
      open.push(name);
      try {
        return await work();
      } finally {
        open.pop();
      }
    },
  };
  const body = `<title>Webs</title><main><h1>Webs</h1>${"<p>Orb-weavers build anew each evening.</p>".repeat(12)}</main>`;
  const engine: Engine = {
    engine: "fetch",
    provides: new Set(),
    load: async ({ url }) => ({
      kind: "loaded",
      page: { engine: "fetch", url, statusCode: 200, headers: {}, contentType: "text/html", body, warnings: [] },
    }),
  };
  const { ask } = testApp(testDeps({ telemetry, engines: [measuredEngine(engine, telemetry)] }));
  const response = await ask("/v2/scrape", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ url: "https://a.example/" }),
  });
  expect(response.status).toBe(200);
  expect(spans).toEqual(["load", "load > load fetch", "derive", "keep"]);
});
