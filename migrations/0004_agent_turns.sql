-- Follow-ups in threads of agents. A thread has the ID of its first run, which has no row here.
CREATE TABLE IF NOT EXISTS agent_turns (
  thread_id TEXT NOT NULL,
  turn INTEGER NOT NULL,
  team_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  PRIMARY KEY (thread_id, turn)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS agent_turns_by_run ON agent_turns (run_id);
CREATE INDEX IF NOT EXISTS agent_turns_by_expiry ON agent_turns (expires_at_ms);
