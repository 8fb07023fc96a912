import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { METRICS } from "../../../src/core/metrics/metrics.ts";
import { readGauges } from "../../../src/platform/metrics/gauges.ts";
import { nodeD1 } from "../../fakes/memory/node-d1.ts";

const GUIDE = readFileSync(join(import.meta.dirname, "../../../src/docs/operation/operation.md"), "utf8");

/** Names under which a metric is read: those of a histogram are its sum, its count and its buckets. */
function namesOf([name, { type }]: [string, { type: string }]): string[] {
  return type === "counter" ? [name] : ["_bucket", "_count", "_sum"].map((part) => name + part);
}

test("each alert of the operation guide reads metrics that the service reports, by labels that they have", async () => {
  const gauges = await readGauges({ BROWSER_POOL: {} as never, DB: nodeD1() }, {});
  const known = new Set([...Object.entries(METRICS).flatMap(namesOf), ...gauges.map(({ name }) => name)]);
  const alerts = GUIDE.split("\n").filter((line) => line.startsWith("| ") && line.includes("orbweaver_"));
  const used = alerts.flatMap((line) => {
    const [, , expression = ""] = line.split(" | ").join("|").split("|");
    return [...expression.matchAll(/orbweaver_(\w+)/g)].map(([, name]) => name);
  });
  expect(alerts.length).toBeGreaterThanOrEqual(9);
  expect(used.filter((name) => !known.has(name ?? ""))).toEqual([]);
  // What only logs would show otherwise: errors of the edge, waits for connections and browsers, and lost leases.
  for (const name of ["edge_errors_total", "slot_wait_seconds_bucket", "browser_wait_seconds_bucket", "leases_lost_total"])
    expect(used).toContain(name);
}); // prettier-ignore
