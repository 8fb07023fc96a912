CREATE TABLE dead_letters (
  id TEXT PRIMARY KEY,
  type TEXT NOT NULL,
  job_id TEXT,
  arrived_at_ms INTEGER NOT NULL
) WITHOUT ROWID;
