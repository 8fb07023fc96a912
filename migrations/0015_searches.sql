CREATE TABLE searches (
  id TEXT PRIMARY KEY,
  team_id TEXT NOT NULL,
  credits_used INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE feedback (
  team_id TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  job_id TEXT NOT NULL,
  id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  rating TEXT NOT NULL,
  body TEXT NOT NULL,
  credits_refunded INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (team_id, endpoint, job_id)
) WITHOUT ROWID;
CREATE INDEX feedback_refunds ON feedback (team_id, created_at_ms, credits_refunded) WHERE credits_refunded > 0;
