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

/** Creates the store of follow-ups in D1: one row per follow-up, written before its run starts. */
export function createAgentTurns(db: D1Database): AgentTurns {
  const read = async (where: string, value: string): Promise<AgentTurn[]> => {
    const { results } = await db
      .withSession("first-primary")
      .prepare(`SELECT ${COLUMNS} FROM agent_turns WHERE ${where} = ? ORDER BY turn`)
      .bind(value)
      .run<TurnRow>();
    return results.map(toTurn);
  };
  return {
    async claim({ threadId, turn, teamId, runId, createdAtMs, expiresAtMs }) {
      const { meta } = await db
        .prepare(
          `INSERT INTO agent_turns (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)
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
    async delete(threadId) {
      await db.prepare("DELETE FROM agent_turns WHERE thread_id = ?").bind(threadId).run();
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
