import { Task } from "../../core/jobs/task.ts";
import { readReplaceable } from "../../core/stored-state.ts";
import type { PendingScrapes } from "../../ports/storage/pending-scrapes.ts";

/** The ids of a statement, as one JSON text. */
const THESE = "id IN (SELECT value FROM json_each(?))";

interface Row {
  id: string;
  task: string;
  resent: number;
  created_at_ms: number;
}

/** Creates the store of pending scrapes in D1. */
export function createPendingScrapes(db: D1Database): PendingScrapes {
  const change = async (statement: string, ids: readonly string[]): Promise<void> => {
    await db.prepare(`${statement} WHERE ${THESE}`).bind(JSON.stringify(ids)).run();
  };
  return {
    async add(tasks, createdAtMs) {
      if (tasks.length === 0) return;
      const insert = db.prepare("INSERT OR IGNORE INTO pending_scrapes (id, task, created_at_ms) VALUES (?, ?, ?)");
      await db.batch(tasks.map((task) => insert.bind(task.request.id, JSON.stringify(task), createdAtMs)));
    },
    async ids({ after, limit }) {
      const query = db.prepare("SELECT id FROM pending_scrapes WHERE id > ? ORDER BY id LIMIT ?");
      return (await query.bind(after, limit).run<Pick<Row, "id">>()).results.map(({ id }) => id);
    },
    async find(ids) {
      const query = db.prepare(`SELECT id, task, resent, created_at_ms FROM pending_scrapes WHERE ${THESE}`);
      const { results } = await query.bind(JSON.stringify(ids)).run<Row>();
      return results.map(({ id, task: text, resent, created_at_ms: createdAtMs }) => {
        const task = readReplaceable(Task, text);
        return { id, task: task?.type === "scrape_page" ? task : undefined, resent, createdAtMs };
      });
    },
    noteResent: async (ids) => await change("UPDATE pending_scrapes SET resent = resent + 1", ids),
    remove: async (ids) => await change("DELETE FROM pending_scrapes", ids),
  };
}
