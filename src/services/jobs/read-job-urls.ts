import { AppError } from "../../core/errors.ts";
import type { UrlCursor, UrlLine } from "../../ports/crawl/frontier.ts";
import type { Deps } from "../deps.ts";

export type { UrlLine } from "../../ports/crawl/frontier.ts";

const PARTS = { q: "queue", o: "overflow", f: "filtered", r: "removed" } as const;
const CURSOR = /^([qofr])(\d{1,15})\.(\d{1,15})$/;

/**
 * Reads a page of the list of a job's URLs, and the job's counters.
 * @throws AppError BAD_REQUEST for a cursor that this service has not issued.
 */
export async function readJobUrls(
  { frontiers }: Pick<Deps, "frontiers">,
  id: string,
  { limit, cursor }: { limit: number; cursor: string | undefined },
) {
  const [page, progress] = await Promise.all([
    frontiers.urls(id, { limit, cursor: toCursor(cursor) }),
    frontiers.progress(id),
  ]);
  if (progress === undefined) throw new AppError("JOB_NOT_FOUND", "Job not found");
  const { discovered, completed, failed, skipped, pending } = progress;
  const lines: UrlLine[] = page.lines;
  return {
    lines,
    counts: { discovered, completed, failed, skipped, pending },
    next: page.next === undefined ? undefined : fromCursor(page.next),
  };
}

function toCursor(text: string | undefined): UrlCursor {
  if (text === undefined) return { part: "queue", row: 0, place: 0 };
  const [, part, row, place] = CURSOR.exec(text) ?? [];
  if (part === undefined) throw new AppError("BAD_REQUEST", "The cursor does not belong to this list");
  return { part: PARTS[part as keyof typeof PARTS], row: Number(row), place: Number(place) };
}

function fromCursor({ part, row, place }: UrlCursor): string {
  return `${part.slice(0, 1)}${row}.${place}`;
}
