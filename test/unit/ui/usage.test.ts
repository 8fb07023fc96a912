import { expect, test } from "vitest";
import { usageCsv } from "../../../src/ui/usage/export-usage.ts";
import { hoursSince } from "../../../src/ui/usage/hours.ts";
import type { UsageLine } from "../../../src/ui/usage/usage-types.ts";

const sums = { requests: 3, errors: 1, pages: 2, credits: 2, browserMs: 10, bytesFetched: 5_000, dollars: 0.5 };

test("usage is exported as CSV without formulas", () => {
  const lines: UsageLine[] = [
    {
      ...sums,
      day: "2026-11-21",
      endpoint: "scrape",
      key: { id: "1", name: '=HYPERLINK("x"),y', prefix: "fc-1" },
      latencyMs: { p50: 5, p95: 9 },
    },
    { ...sums, day: "2026-11-22", endpoint: "map", key: { id: "2", name: "", prefix: "fc-2" }, latencyMs: null },
  ];
  expect(usageCsv(lines).split("\r\n")).toEqual([
    "day,endpoint,key,requests,errors,pages,credits,latency_p50_ms,latency_p95_ms,browser_ms,bytes_fetched,dollars",
    `2026-11-21,scrape,"'=HYPERLINK(""x""),y",3,1,2,2,5,9,10,5000,0.5`,
    "2026-11-22,map,fc-2,3,1,2,2,,,10,5000,0.5",
    "",
  ]);
});

test("hours run from the start of a day to the current one", () => {
  expect(hoursSince("2026-11-20", Date.UTC(2026, 10, 20, 2, 59))).toEqual([
    "2026-11-20T00",
    "2026-11-20T01",
    "2026-11-20T02",
  ]);
  expect(hoursSince("2026-11-20", Date.UTC(2026, 10, 21, 23, 0))).toHaveLength(48);
});
