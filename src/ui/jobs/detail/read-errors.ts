import { ask } from "../../api/client.ts";
import { pathOfLink } from "../../api/read-parts.ts";
import type { CrawlErrors } from "../crawl-types.ts";

/** The failed pages of a crawl as far as they were read. */
export interface ReadErrors extends Pick<CrawlErrors, "errors" | "robotsBlocked"> {
  hasMore: boolean;
}

/** Reads the failed pages of a crawl: as many responses as `parts`, or fewer if there are no more. @throws ApiError */
export async function readErrors(statusPath: string, parts: number, signal?: AbortSignal): Promise<ReadErrors> {
  const read: CrawlErrors[] = [];
  let path: string | undefined = `${statusPath}/errors`;
  while (path !== undefined && read.length < parts) {
    const part: CrawlErrors = await ask<CrawlErrors>(path, signal === undefined ? {} : { signal });
    read.push(part);
    path = part.next === undefined ? undefined : pathOfLink(part.next);
  }
  return {
    errors: read.flatMap(({ errors }) => errors),
    robotsBlocked: read.flatMap(({ robotsBlocked }) => robotsBlocked),
    hasMore: path !== undefined,
  };
}
