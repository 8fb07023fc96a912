-- Calls of MCP tools that wait for a job, by the client's session and the id of its request. A call that was cancelled before
-- its job started has no path.
CREATE TABLE IF NOT EXISTS waiting_calls (
  team_id TEXT NOT NULL,
  session TEXT NOT NULL,
  request TEXT NOT NULL,
  job_path TEXT,
  is_cancelled INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  PRIMARY KEY (team_id, session, request)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS waiting_calls_by_expiry ON waiting_calls (expires_at_ms);
