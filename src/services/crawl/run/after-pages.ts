import type { JobSpecification } from "../../../jobs/kind.ts";
import type { Deps } from "../../deps.ts";
import { reportHosts } from "../../jobs/report-hosts.ts";
import { confirmIndexed, indexPages } from "../../scrape/index-pages.ts";
import type { ItemOutcome } from "../item-task.ts";

/** Reports the hosts of finished pages to their throttles, and adds the pages to the search index, beside the run. */
export function afterPages(deps: Deps, { key }: JobSpecification, outcomes: readonly ItemOutcome[]): void {
  deps.defer(reportHosts(deps, key.id, outcomes));
  const indexed = outcomes.flatMap((outcome) => outcome.indexed ?? []);
  deps.defer(indexPages(deps, key.teamId, indexed));
  const renewable = outcomes.flatMap((outcome) => outcome.renewable ?? []);
  deps.defer(confirmIndexed(deps, key.teamId, renewable));
}
