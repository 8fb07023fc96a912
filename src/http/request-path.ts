import type { Hono } from "hono";
import { getPath } from "hono/utils/url";
import type { AppEnv } from "./context.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
const NEEDS_CHANGE = /[A-Z]|.\/$/;

/**
 * Returns the path that routes are matched with. As in Firecrawl's service, a slash at the end and the case of fixed
 * segments make no difference; segments that are ids keep their case.
 */
export class RequestPaths {
  #fixedSegments: ReadonlySet<string> | undefined;

  pathOf(request: Request, app: Hono<AppEnv>): string {
    const path = getPath(request);
    if (!NEEDS_CHANGE.test(path)) return path;
    const fixed = (this.#fixedSegments ??= fixedSegmentsOf(app));
    const withoutSlash = path.replace(/\/$/, "") || "/";
    return withoutSlash
      .split("/")
      .map((segment) => (fixed.has(segment.toLowerCase()) ? segment.toLowerCase() : segment))
      .join("/");
  }
}

function fixedSegmentsOf(app: Hono<AppEnv>): ReadonlySet<string> {
  const segments = app.routes.flatMap(({ path }) => path.split("/"));
  return new Set(segments.filter((segment) => /^[a-z]/.test(segment) && segment === segment.toLowerCase()));
}

/** Returns the methods that have a route at a path, sorted; none when the path has no route. */
export function methodsAt(app: Hono<AppEnv>, path: string): string[] {
  return METHODS.filter((method) => {
    const [handlers] = app.router.match(method, path);
    return handlers.some(([[, { method: declared }]]) => declared === method);
  }).toSorted();
}
