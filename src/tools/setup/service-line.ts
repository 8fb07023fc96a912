import { z } from "zod";

/** The part of the service's own line about a request that is shown. */
const RequestLine = z.object({
  event: z.literal("request"),
  method: z.string(),
  route: z.string(),
  status: z.number(),
  ms: z.number(),
  code: z.string().optional(),
});

/** Returns what `npm start` shows of a line that the service or wrangler wrote; undefined for nothing. */
export function toShownLine(line: string): string | undefined {
  if (line.startsWith("[wrangler:") || line.startsWith("⎔")) return undefined;
  // A run of a job is seen by the requests for its status.
  if (line.startsWith('{"event":"job_run"')) return undefined;
  if (!line.startsWith('{"event":"request"')) return line;
  const parsed = RequestLine.safeParse(jsonOf(line));
  if (!parsed.success) return line;
  const { method, route, status, ms, code } = parsed.data;
  // The starting program asks for this every two seconds.
  if (route === "/health" && status === 200) return undefined;
  return `${method} ${route} ${status}${code === undefined ? "" : ` ${code}`} (${ms} ms)`;
}

/** undefined for a line that is no JSON: two outputs may be mixed in it, or it is cut off. */
function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
