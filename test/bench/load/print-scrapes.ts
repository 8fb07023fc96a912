import type { ScrapeReport } from "./scrape-sections.ts";
import { figure, table } from "./table.ts";

/** Two tables: times and resources, then what the service says of itself for each page. */
export function printScrapes({ rows }: ScrapeReport): string {
  const head = [
    "",
    "at once",
    "good",
    "pages/s",
    "p50 ms",
    "p95 ms",
    "p99 ms",
    "× bare",
    "CPU ms/page",
    "peak MB",
    "others %",
  ];
  const times = rows.map((row) => [
    row.name,
    row.concurrency,
    `${row.good}/${row.requests}`,
    row.perSecond,
    row.p50,
    row.p95,
    row.p99,
    row.ratio ?? "",
    row.cpuMsPerPage ?? "",
    row.peakMb ?? "",
    row.othersPercent ?? "",
  ]);
  const scraped = rows.filter(({ timing }) => Object.keys(timing).length > 0);
  const names = [...new Set(scraped.flatMap(({ timing }) => Object.keys(timing)))];
  const billed = scraped.map(({ name, concurrency, timing }) =>
    [name, concurrency, names.map((entry) => timing[entry] ?? 0)].flat(),
  );
  const failed = rows.flatMap(({ name, concurrency, failures }) =>
    Object.entries(failures).map(([failure, count]) => `${name} at ${figure(concurrency)}: ${count} × ${failure}`),
  );
  const parts = [table(head, times), `Averages a page, by Server-Timing\n${table(["", "at once", ...names], billed)}`];
  if (failed.length > 0) parts.push(`Failures\n${failed.join("\n")}`);
  return parts.join("\n\n");
}
