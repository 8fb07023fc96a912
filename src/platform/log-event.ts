import { toLogLine, type LogEvent } from "../core/text/redact.ts";

/** One JSON object a line, for whoever runs the service: no keys, no contents of pages, no secrets of addresses. */
export function logEvent(event: LogEvent): void {
  console.log(toLogLine(event));
}
