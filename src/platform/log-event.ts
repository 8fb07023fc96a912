import { toLogLine, type LogEvent } from "../core/text/redact.ts";

/** Writes one JSON object per line for the operator: no keys, no contents of pages, no secrets of addresses. */
export function logEvent(event: LogEvent): void {
  console.log(toLogLine(event));
}
