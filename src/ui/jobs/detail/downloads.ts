import type { JobDetails } from "../job-types.ts";

export type DownloadKind = "jsonl" | "zip" | "csv" | "wacz";

/** A file that can be downloaded. */
export interface Download {
  kind: DownloadKind;
  label: string;
  title: string;
}

const JSONL: Download = { kind: "jsonl", label: "JSONL", title: "All pages, one JSON object per line" };
/** Of a job with zero data retention that has ended. */
const LAST_JSONL: Download = {
  ...JSONL,
  title: `${JSONL.title}. The service then deletes the pages; with a webhook, not before its last event is delivered or given up`,
};
const ZIP: Download = { kind: "zip", label: "Markdown", title: "All pages as Markdown files in a ZIP archive" };
const CSV: Download = { kind: "csv", label: "CSV", title: "All URLs with outcome and reason" };
const ARCHIVE: Download = {
  kind: "wacz",
  label: "WACZ",
  title: "The archived responses of all pages, for replay and for other formats",
};

/**
 * Returns the files that a crawl or batch can be downloaded as. Pages with zero data retention can be read once, so that
 * the file with all of their formats is offered alone.
 */
export function downloadsOf({ job, request }: Pick<JobDetails, "job" | "request">, isRunning: boolean): Download[] {
  const body = request?.body;
  if (job.zeroDataRetention === true) return [isRunning ? JSONL : LAST_JSONL, CSV];
  return [
    JSONL,
    ...(hasMarkdown(body) ? [ZIP] : []),
    CSV,
    ...(!isRunning && body?.["archive"] === true ? [ARCHIVE] : []),
  ];
}

/** False if the pages were scraped without the format Markdown, which is the default. */
function hasMarkdown(body: Record<string, unknown> | undefined): boolean {
  const { formats } = (body?.["scrapeOptions"] ?? body ?? {}) as { formats?: unknown };
  if (!Array.isArray(formats)) return true;
  return formats.some((format: unknown) => format === "markdown" || (format as { type?: unknown }).type === "markdown");
}
