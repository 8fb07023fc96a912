import type { MonitorStore } from "../../ports/monitors.ts";
import type { MonitorDatabase, Statement } from "./monitor-database.ts";
import { releaseObjects } from "./state-objects.ts";

/** Rows of a table in one statement: pages have up to 250 kB, states up to 1 MB, and a statement of D1 has 30 seconds. */
const ROWS_AT_A_TIME = 200;
/** Portions that are deleted at once, in 60 statements: all data of most monitors. The upkeep deletes the rest. */
const PORTIONS_AT_ONCE = 10;
const OPEN = "monitor_id = ? AND status IN ('queued', 'running')";

/** Creates the removal of monitors in D1: the monitor at once, and its data in portions. */
export function createMonitorRemoval({ rows, write }: MonitorDatabase): Pick<MonitorStore, "remove" | "purgeRemoved"> {
  /** @returns true when there may be more. */
  async function deletePortion(id: string): Promise<boolean> {
    const changes = await write(...portionOf(id));
    if (changes.some((count) => count >= ROWS_AT_A_TIME)) return true;
    await write(["DELETE FROM removed_monitors WHERE id = ?", [id]]);
    return false;
  }

  async function deletePortions(id: string): Promise<void> {
    for (let portion = 0; portion < PORTIONS_AT_ONCE; portion++) if (!(await deletePortion(id))) return;
  }

  return {
    async remove(id) {
      // Without its monitor no check starts or is listed, and without its row an open check ends with its next page.
      await write(
        ["INSERT OR IGNORE INTO removed_monitors (id) SELECT id FROM monitors WHERE id = ?", [id]],
        [`DELETE FROM monitor_events WHERE check_id IN (SELECT id FROM monitor_checks WHERE ${OPEN})`, [id]],
        [`DELETE FROM monitor_checks WHERE ${OPEN}`, [id]],
        ["DELETE FROM monitors WHERE id = ?", [id]],
        ["DELETE FROM monitor_sizes WHERE monitor_id = ?", [id]],
      );
      await deletePortions(id);
    },
    async purgeRemoved() {
      const [removed] = await rows<{ id: string }>("SELECT id FROM removed_monitors LIMIT 1");
      if (removed === undefined) return false;
      await deletePortions(removed.id);
      return true;
    },
  };
}

/** The statements that delete some rows of each table of a monitor. Checks with events stay until their events are deleted. */
function portionOf(id: string): Statement[] {
  const some = (table: string, key: string, condition = "monitor_id = ?"): Statement => [
    `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ?)`,
    [id, ROWS_AT_A_TIME],
  ];
  const states = `(monitor_id, target_id, url) IN (SELECT monitor_id, target_id, url FROM monitor_states WHERE monitor_id = ?
    ORDER BY target_id, url LIMIT ?)`;
  return [
    some("monitor_seen", "monitor_id, target_id, url"),
    // No run reads these objects any more.
    releaseObjects([states, [id, ROWS_AT_A_TIME]], 0),
    [`DELETE FROM monitor_states WHERE ${states}`, [id, ROWS_AT_A_TIME]],
    some("monitor_pages", "check_id, target_id, url"),
    some("monitor_events", "id", "check_id IN (SELECT id FROM monitor_checks WHERE monitor_id = ?)"),
    some(
      "monitor_checks",
      "id",
      "monitor_id = ? AND NOT EXISTS (SELECT 1 FROM monitor_events WHERE check_id = monitor_checks.id)",
    ),
  ];
}
