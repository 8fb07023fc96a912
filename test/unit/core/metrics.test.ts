import { expect, test } from "vitest";
import {
  addCount,
  addDuration,
  MAX_SERIES,
  mergeSamples,
  seriesTotals,
  toPrometheus,
  type Samples,
} from "../../../src/core/metrics/metrics.ts";

test("counters and histograms have the text format of Prometheus, with cumulative buckets in the order of their bounds", () => {
  const samples: Samples = {};
  addCount(samples, "loads_total", { engine: "fetch", outcome: "loaded", status: "2xx" });
  addCount(samples, "loads_total", { engine: "fetch", outcome: "loaded", status: "2xx" }, 2);
  addDuration(samples, "slot_wait_seconds", {}, 200);
  addDuration(samples, "slot_wait_seconds", {}, 20_000);
  const gauge = { name: "browsers", help: "Browsers.", values: [{ labels: { region: "weur" }, value: 3 }] };
  const lines = toPrometheus(samples, [gauge]).split("\n");
  expect(lines).toContain('orbweaver_loads_total{engine="fetch",outcome="loaded",status="2xx"} 3');
  expect(lines).toContain("# TYPE orbweaver_slot_wait_seconds histogram");
  expect(lines.filter((line) => line.startsWith("orbweaver_slot_wait_seconds_bucket"))).toEqual([
    'orbweaver_slot_wait_seconds_bucket{le="0.25"} 1',
    'orbweaver_slot_wait_seconds_bucket{le="1"} 1',
    'orbweaver_slot_wait_seconds_bucket{le="2.5"} 1',
    'orbweaver_slot_wait_seconds_bucket{le="5"} 1',
    'orbweaver_slot_wait_seconds_bucket{le="10"} 1',
    'orbweaver_slot_wait_seconds_bucket{le="30"} 2',
    'orbweaver_slot_wait_seconds_bucket{le="60"} 2',
    'orbweaver_slot_wait_seconds_bucket{le="300"} 2',
    'orbweaver_slot_wait_seconds_bucket{le="+Inf"} 2',
  ]);
  expect(lines).toContain("orbweaver_slot_wait_seconds_sum 20.2");
  expect(lines).toContain("orbweaver_slot_wait_seconds_count 2");
  expect(lines.slice(-3)).toEqual(["# TYPE orbweaver_browsers gauge", 'orbweaver_browsers{region="weur"} 3', ""]);
  expect(lines.filter((line) => !/^(?:# (?:HELP|TYPE) |[a-z_]+(?:\{[^{}]*\})? [\d.]+$)/.test(line))).toEqual([""]);
});

test("a value of a label cannot break its line", () => {
  const samples: Samples = {};
  addCount(samples, "load_failures_total", { engine: 'a"b\n\\', code: "x" });
  expect(toPrometheus(samples, [])).toContain(String.raw`{engine="a\"b\n\\",code="x"} 1`);
});

test("series beyond the limit are not stored, and known ones go on counting", () => {
  const samples: Samples = {};
  const many = Object.fromEntries(Array.from({ length: MAX_SERIES + 10 }, (_, n) => [`loads_total{engine="${n}"}`, 1]));
  mergeSamples(samples, many);
  mergeSamples(samples, many);
  expect(Object.keys(samples)).toHaveLength(MAX_SERIES);
  expect(samples['loads_total{engine="0"}']).toBe(2);
});

test("a series total holds the events and seconds of a histogram, or the count of a counter", () => {
  const samples: Samples = {};
  addDuration(samples, "stage_seconds", { stage: "load" }, 500);
  addDuration(samples, "stage_seconds", { stage: "load" }, 1500);
  addCount(samples, "edge_errors_total", { number: "526" });
  expect(seriesTotals(samples)).toEqual([
    { metric: "stage_seconds", labels: '{stage="load"}', count: 2, seconds: 2 },
    { metric: "edge_errors_total", labels: '{number="526"}', count: 1, seconds: 0 },
  ]);
});
