/** Where the reader is: `#/crawls/<id>?tab=errors`. A fragment, so that reloading asks the Worker for nothing but `/`. */
export interface Route {
  /** The first step; `playground` when there is none. */
  view: string;
  /** The second step, if there is one. */
  id: string | undefined;
  query: URLSearchParams;
}

export function routeOf(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [view = "", id] = path.split("/").map(decodeStep);
  return { view: view === "" ? "playground" : view, id: id === "" ? undefined : id, query: new URLSearchParams(query) };
}

/** A step of an address as people read it; one whose encoding is broken stays as it is. */
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
