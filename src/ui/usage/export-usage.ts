import type { UsageLine } from "./usage-types.ts";

const COLUMNS = [
  "day", "endpoint", "key", "requests", "errors", "pages", "credits", "latency_p50_ms", "latency_p95_ms", "browser_ms",
  "bytes_fetched", "dollars",
] as const; // prettier-ignore

/** Returns usage as CSV (RFC 4180), one line per day, endpoint and key. */
export function usageCsv(lines: readonly UsageLine[]): string {
  const rows = lines.map((line) => valuesOf(line).map(field).join(","));
  return [COLUMNS.join(","), ...rows, ""].join("\r\n");
}

function valuesOf(line: UsageLine): (string | number)[] {
  const { day = "", endpoint = "", key, requests, errors, pages, credits, latencyMs, browserMs, bytesFetched } = line;
  const latency = [latencyMs?.p50 ?? "", latencyMs?.p95 ?? ""];
  const name = key === undefined ? "" : key.name === "" ? key.prefix : key.name;
  return [day, endpoint, name, requests, errors, pages, credits, ...latency, browserMs, bytesFetched, line.dollars];
}

/** Escapes a field. One that a spreadsheet would treat as a formula gets an apostrophe. */
function field(value: string | number): string {
  const text = String(value);
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
