import { combineCounts, NO_COUNTS, type MeterCounts } from "../../core/account/meter.ts";
import type { FrontierState } from "../../core/crawl/frontier.ts";
import { hash53 } from "../../core/text/hash.ts";
import type { Completion } from "../../ports/crawl/frontier.ts";

/** Number of reports that are recognised when they are repeated. */
const MAX_REMEMBERED_REPORTS = 50;

/** Adds the costs of a report, once however often it is repeated, and those of the job's object. */
export function addCosts(state: FrontierState, { costs, object }: Completion, ownCosts: MeterCounts): void {
  if (costs === undefined) return;
  const report = hash53(object);
  const { reports = [] } = state;
  const all = reports.includes(report) ? ownCosts : combineCounts(costs, ownCosts);
  state.costs = combineCounts(state.costs ?? NO_COUNTS, all);
  if (!reports.includes(report)) state.reports = [...reports, report].slice(-MAX_REMEMBERED_REPORTS);
}
