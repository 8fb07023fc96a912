import { expect, test } from "vitest";
import { parseTimeRange } from "../../../../src/core/search/time-range.ts";

const NOW = Date.UTC(2026, 5, 15, 12);
const HOUR = 3_600_000;

test.each([
  { tbs: "qdr:h", range: { fromMs: NOW - HOUR, unit: "hour" } },
  { tbs: "qdr:d", range: { fromMs: NOW - 24 * HOUR, unit: "day" } },
  { tbs: "qdr:d3", range: { fromMs: NOW - 72 * HOUR, unit: "week" } },
  { tbs: "qdr:w", range: { fromMs: NOW - 168 * HOUR, unit: "week" } },
  { tbs: "qdr:y2", range: { fromMs: NOW - 2 * 366 * 24 * HOUR } },
  { tbs: "QDR:M,sbd:1", range: { fromMs: NOW - 31 * 24 * HOUR, unit: "month", newestFirst: true } },
  { tbs: "sbd:1", range: { newestFirst: true } },
  {
    tbs: "cdr:1,cd_min:12/31/2024,cd_max:1/2/2025",
    range: { fromMs: Date.UTC(2024, 11, 31), toMs: Date.UTC(2025, 0, 3) - 1 },
  },
  { tbs: "qdr:d,cdr:1,cd_min:2025-03-04", range: { fromMs: Date.UTC(2025, 2, 4) } },
  { tbs: "cdr:1,cd_min:2025-03-04", range: { fromMs: Date.UTC(2025, 2, 4) } },
  { tbs: "yesterday", range: undefined },
  { tbs: "qdr:x", range: undefined },
  { tbs: "", range: undefined },
])("$tbs", ({ tbs, range }) => {
  expect(parseTimeRange(tbs, NOW)).toEqual({ range, invalid: [] });
});

test.each([
  { tbs: "cdr:1,cd_min:31/12/2024", invalid: ["31/12/2024"] },
  { tbs: "cdr:1,cd_min:1/2/2025,cd_max:2/30/2025", range: { fromMs: Date.UTC(2025, 0, 2) }, invalid: ["2/30/2025"] },
  { tbs: "cdr:1,cd_min:2023-02-29,sbd:1", range: { newestFirst: true }, invalid: ["2023-02-29"] },
  { tbs: "cdr:1,cd_min:0/1/2024,cd_max:soon", invalid: ["0/1/2024", "soon"] },
  { tbs: "cdr:1,cd_min:1/1/0001", invalid: ["1/1/0001"] },
])("no other date stands for one that is not in the calendar: $tbs", ({ tbs, range, invalid }) => {
  expect(parseTimeRange(tbs, NOW)).toEqual({ range, invalid });
});
