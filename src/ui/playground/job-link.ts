import type { Operation } from "../api/openapi.ts";

/** Work that an answer has begun, and where its state is read. */
export interface JobLink {
  id: string;
  statusPath: string;
  /** A crawl or a batch has a view of its own. */
  crawlView: boolean;
}

/** The job that a POST began: the service reads it back below the same path. */
export function jobIn(operation: Operation, operations: readonly Operation[], body: unknown): JobLink | undefined {
  const { id } = (body ?? {}) as { id?: unknown };
  if (operation.method !== "post" || typeof id !== "string") return undefined;
  const status = `${operation.path}/{id}`;
  if (!operations.some(({ method, path }) => method === "get" && path === status)) return undefined;
  return { id, statusPath: `${operation.path}/${id}`, crawlView: operation.path === "/v2/crawl" };
}

/** States in which a job goes on (api-contract.md, “Job status”). */
export function isUnderWay(body: unknown): boolean {
  const { status } = (body ?? {}) as { status?: unknown };
  return status === "scraping" || status === "processing" || status === "pending" || status === "queued";
}
