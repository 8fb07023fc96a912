import type { Monitor, MonitorCheck } from "../../core/monitors/monitor.ts";
import type { Deps } from "../deps.ts";

const DAY_MS = 86_400_000;
/** Pages that a target knows at most, each with its text; a check reads a hundred. */
const MAX_KNOWN_PAGES = 1_000;
/** Results that a search knows at most, which have no text; a check finds 600. */
const MAX_KNOWN_RESULTS = 10_000;
/** States that one statement deletes: earlier versions have stored up to 1 MB in each, and a statement of D1 has 30 seconds. */
const STATES_AT_A_TIME = 200;
/** Enough for as many states as a check can add. */
const MAX_PORTIONS = 25;

/**
 * Forgets pages that no check has listed within the retention of the monitor, and of each target those beyond its limit that
 * were not listed for the longest time. Targets that this check has not listed are left as they are. A failure is logged:
 * the next check forgets what is left.
 */
export async function forgetPages(
  { monitors, clock, log }: Pick<Deps, "monitors" | "clock" | "log">,
  { monitor, check }: { monitor: Monitor; check: MonitorCheck },
): Promise<void> {
  const { targets, retentionDays } = monitor.config;
  const most = Object.fromEntries(
    targets.map(({ id, type }) => [id, type === "search" ? MAX_KNOWN_RESULTS : MAX_KNOWN_PAGES]),
  );
  const listedAtMs = clock.now();
  const range = { listedAtMs, seenSinceMs: listedAtMs - retentionDays * DAY_MS, most, limit: STATES_AT_A_TIME };
  try {
    await monitors.noteSeen(check, listedAtMs);
    for (let portion = 0; portion < MAX_PORTIONS; portion++)
      if ((await monitors.forgetStates(monitor.id, range)) < STATES_AT_A_TIME) return;
  } catch (error) {
    log({ event: "monitor_forgetting_failed", checkId: check.id, message: String(error) });
  }
}
