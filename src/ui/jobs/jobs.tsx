import type { Route } from "../routes.ts";
import { CrawlDetail } from "./detail/crawl-detail.tsx";
import { CrawlList } from "./crawl-list.tsx";

/** The list of crawls, or one crawl. */
export function Jobs({ route }: { route: Route }) {
  return route.id === undefined ? <CrawlList /> : <CrawlDetail key={route.id} id={route.id} />;
}
