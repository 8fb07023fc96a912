/** The current location, such as `#/jobs/<id>?tab=errors`. It is a fragment, so that a reload requests `/` only. */
export interface Route {
  /** The first path segment; `playground` if there is none. */
  view: string;
  /** The second path segment, if there is one. */
  id: string | undefined;
  query: URLSearchParams;
}

/** Views whose URL has another form: the first view, and the earlier URL of jobs. */
const VIEW_OF: Record<string, string | undefined> = { "": "playground", crawls: "jobs" };

export function routeOf(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [view = "", id] = path.split("/").map(decodeStep);
  return { view: VIEW_OF[view] ?? view, id: id === "" ? undefined : id, query: new URLSearchParams(query) };
}

/** Decodes a path segment. Returns it unchanged if its encoding is invalid. */
export function decodeStep(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

export function hrefOf(view: string, id?: string, query: Record<string, string> = {}): string {
  const search = new URLSearchParams(query).toString();
  return `#/${view}${id === undefined ? "" : `/${encodeURIComponent(id)}`}${search === "" ? "" : `?${search}`}`;
}
