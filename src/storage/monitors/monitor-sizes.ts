import type { MonitorStore } from "../../ports/monitors.ts";
import type { MonitorDatabase, Statement, Value } from "./monitor-database.ts";

/** Bytes of a row of a check, a page or an event beside its long columns, with its entries in indexes. */
export const ROW_BYTES = 500;
/** Rows of a statement: pages have up to 250 kB, and a statement of D1 has 30 seconds. */
const ROWS_AT_A_TIME = 200;
const PORTIONS_AT_ONCE = 10;

/** SQL of the bytes of a check as it is stored when it ends. A page's URL is in its row and in two indexes. */
export const CHECK_BYTES = `${ROW_BYTES} + coalesce(octet_length(coalesce(target_results, plan)), 0)
  + (SELECT coalesce(sum(octet_length(body) + 3 * octet_length(url) + ${ROW_BYTES}), 0) FROM monitor_pages WHERE check_id = monitor_checks.id)
  + (SELECT coalesce(sum(octet_length(content) + ${ROW_BYTES}), 0) FROM monitor_events WHERE check_id = monitor_checks.id)`;

/** SQL that chooses the checks that have expired, always the same ones within a transaction. Takes a time and a number. */
export const EXPIRED_CHECKS = `FROM monitor_checks
  WHERE expires_at_ms < ? AND status NOT IN ('queued', 'running') ORDER BY expires_at_ms, id LIMIT ?`;

/** Returns the statement that adds up the checks of a monitor, in the batch that has ended or deleted one. */
export function addUpChecks(condition: string, ...values: Value[]): Statement {
  return [
    `INSERT OR REPLACE INTO monitor_sizes (monitor_id, team_id, bytes) SELECT id, team_id,
         (SELECT coalesce(sum(bytes), 0) FROM monitor_checks WHERE monitor_id = monitors.id AND bytes IS NOT NULL)
       FROM monitors WHERE ${condition}`,
    values,
  ];
}

/** Returns the statement that subtracts expired checks, in the batch that then deletes them. */
export function subtractExpired(nowMs: number, limit: number): Statement {
  return [
    `UPDATE monitor_sizes SET bytes = monitor_sizes.bytes - gone.bytes
       FROM (SELECT monitor_id, coalesce(sum(bytes), 0) AS bytes FROM (SELECT monitor_id, bytes ${EXPIRED_CHECKS})
         GROUP BY monitor_id) AS gone
       WHERE monitor_sizes.monitor_id = gone.monitor_id`,
    [nowMs, limit],
  ];
}

/** Creates the bound of the checks of a team in D1. */
export function createMonitorSizes({ rows, write }: MonitorDatabase): Pick<MonitorStore, "exceeds" | "purgeLargest"> {
  /** Deletes some rows of the oldest check of the team's largest monitor. @returns false when there is none */
  async function deletePortion(teamId: string): Promise<boolean> {
    const largest = "SELECT monitor_id AS id FROM monitor_sizes WHERE team_id = ? ORDER BY bytes DESC LIMIT 1";
    const [monitor] = await rows<{ id: string }>(largest, teamId);
    if (monitor === undefined) return false;
    // Events that are still being delivered keep their check.
    const oldest = `SELECT id FROM monitor_checks WHERE monitor_id = ? AND status NOT IN ('queued', 'running')
      AND NOT EXISTS (SELECT 1 FROM monitor_events WHERE check_id = monitor_checks.id AND lost = 0)
      ORDER BY created_at_ms, id LIMIT 1`;
    const [check] = await rows<{ id: string }>(oldest, monitor.id);
    if (check === undefined) return false;
    const some = (table: string, key: string): Statement => [
      `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE check_id = ? LIMIT ?)`,
      [check.id, ROWS_AT_A_TIME],
    ];
    const isLast = ["monitor_events", "monitor_pages"]
      .map((table) => `NOT EXISTS (SELECT 1 FROM ${table} WHERE check_id = monitor_checks.id)`)
      .join(" AND ");
    await write(
      some("monitor_events", "id"),
      some("monitor_pages", "check_id, target_id, url"),
      [`DELETE FROM monitor_checks WHERE id = ? AND ${isLast}`, [check.id]],
      addUpChecks("id = ?", monitor.id),
    );
    return true;
  }

  const exceeds = async (teamId: string, maxBytes: number): Promise<boolean> => {
    const query = "SELECT 1 FROM (SELECT sum(bytes) AS bytes FROM monitor_sizes WHERE team_id = ?) WHERE bytes > ?";
    return (await rows(query, teamId, maxBytes)).length > 0;
  };

  return {
    exceeds,
    async purgeLargest(maxBytes) {
      const query = "SELECT team_id AS teamId FROM monitor_sizes GROUP BY team_id HAVING sum(bytes) > ?";
      let portions = 0;
      for (const { teamId } of await rows<{ teamId: string }>(query, maxBytes)) {
        while (await exceeds(teamId, maxBytes)) {
          if (portions === PORTIONS_AT_ONCE) return true;
          if (!(await deletePortion(teamId))) break;
          portions++;
        }
      }
      return false;
    },
  };
}
