import type { Route } from "../routes.ts";
import { JobList } from "./job-list.tsx";
import { JobView } from "./job-view.tsx";

/** The list of jobs, or one job. */
export function Jobs({ route }: { route: Route }) {
  return route.id === undefined ? <JobList query={route.query} /> : <JobView key={route.id} id={route.id} />;
}
