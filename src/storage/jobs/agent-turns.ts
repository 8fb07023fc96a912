import type { AgentTurn, AgentTurns } from "../../ports/storage/agent-turns.ts";

interface TurnRow {
  thread_id: string;
  turn: number;
  team_id: string;
  run_id: string;
  created_at_ms: number;
  expires_at_ms: number;
}

const COLUMNS = "thread_id, turn, team_id, run_id, created_at_ms, expires_at_ms";

/** Turn of the row that marks a closed thread. */
const CLOSED = 0;

/** Creates the store of follow-ups in D1: one row per follow-up, written before its run starts. */
export function createAgentTurns(db: D1Database): AgentTurns {
  const read = async (where: string, value: string): Promise<AgentTurn[]> => {
    const { results } = await db
      .withSession("first-primary")
      .prepare(`SELECT ${COLUMNS} FROM agent_turns WHERE ${where} = ? AND turn > ${CLOSED} ORDER BY turn`)
      .bind(value)
      .run<TurnRow>();
    return results.map(toTurn);
  };
  return {
    async claim({ threadId, turn, teamId, runId, createdAtMs, expiresAtMs }) {
      const { meta } = await db
        .prepare(
          `INSERT INTO agent_turns (${COLUMNS}) SELECT ?1, ?2, ?3, ?4, ?5, ?6
             WHERE NOT EXISTS (SELECT 1 FROM agent_turns WHERE thread_id = ?1 AND turn = ${CLOSED})
           ON CONFLICT (thread_id, turn) DO UPDATE SET run_id = excluded.run_id WHERE run_id = excluded.run_id`,
        )
        .bind(threadId, turn, teamId, runId, createdAtMs, expiresAtMs)
        .run();
      return meta.changes > 0;
    },
    async release(threadId, runId) {
      await db.prepare("DELETE FROM agent_turns WHERE thread_id = ? AND run_id = ?").bind(threadId, runId).run();
    },
    list: (threadId) => read("thread_id", threadId),
    ofRun: async (runId) => (await read("run_id", runId))[0],
    async close({ threadId, teamId, createdAtMs, expiresAtMs }) {
      await db
        .prepare(`INSERT OR REPLACE INTO agent_turns (${COLUMNS}) VALUES (?, ${CLOSED}, ?, '', ?, ?)`)
        .bind(threadId, teamId, createdAtMs, expiresAtMs)
        .run();
    },
    async isClosed(threadId) {
      const { results } = await db
        .withSession("first-primary")
        .prepare(`SELECT 1 FROM agent_turns WHERE thread_id = ? AND turn = ${CLOSED}`)
        .bind(threadId)
        .run();
      return results.length > 0;
    },
    async delete(threadId) {
      await db.prepare(`DELETE FROM agent_turns WHERE thread_id = ? AND turn > ${CLOSED}`).bind(threadId).run();
    },
    async purge(nowMs, limit) {
      const { meta } = await db
        .prepare(
          `DELETE FROM agent_turns WHERE (thread_id, turn) IN
             (SELECT thread_id, turn FROM agent_turns WHERE expires_at_ms < ? LIMIT ?)`,
        )
        .bind(nowMs, limit)
        .run();
      return meta.changes;
    },
  };
}

function toTurn(row: TurnRow): AgentTurn {
  return {
    threadId: row.thread_id,
    turn: row.turn,
    teamId: row.team_id,
    runId: row.run_id,
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
  };
}
