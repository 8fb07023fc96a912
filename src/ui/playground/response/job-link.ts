import type { Operation } from "../../api/openapi.ts";

/** A job that a response started, with the path of its status. */
export interface JobLink {
  id: string;
  statusPath: string;
  /** True for a crawl, which has its own view. */
  crawlView: boolean;
}

/** Returns the job that a POST started if its status can be read at `{path}/{id}`; otherwise undefined. */
export function jobIn(operation: Operation, operations: readonly Operation[], body: unknown): JobLink | undefined {
  const { id } = (body ?? {}) as { id?: unknown };
  if (operation.method !== "post" || typeof id !== "string") return undefined;
  const status = `${operation.path}/{id}`;
  if (!operations.some(({ method, path }) => method === "get" && path === status)) return undefined;
  return { id, statusPath: `${operation.path}/${id}`, crawlView: operation.path === "/v2/crawl" };
}

/** Returns the path at which a response can be read again free of charge: of its job, or of its stored scrape. */
export function storedPathOf(body: unknown, job: JobLink | undefined): string | undefined {
  if (job !== undefined) return job.statusPath;
  const { data } = (body ?? {}) as { data?: { metadata?: { scrapeId?: unknown } } };
  const scrapeId = data?.metadata?.scrapeId;
  return typeof scrapeId === "string" ? `/v2/scrape/${encodeURIComponent(scrapeId)}` : undefined;
}

/** Reports whether a job's status is to be read again: it can still change, or could not be read this time. */
export function isToFollow({ status, body }: { status: number; body: unknown }): boolean {
  return isTransient(status) || isUnderWay(body);
}

/** Reports whether a later attempt can succeed, such as after 429 or 503. */
export function isTransient(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/** Reports whether a job's status can still change (api-contract.md, “Job status”). */
export function isUnderWay(body: unknown): boolean {
  const { status } = (body ?? {}) as { status?: unknown };
  return status === "scraping" || status === "processing" || status === "pending" || status === "queued";
}
