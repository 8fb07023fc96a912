-- Estimates by the fingerprint of their request, for the jobs that are started with the same request soon after. A job keeps
-- the estimate that it was started after.
CREATE TABLE IF NOT EXISTS estimates (
  team_id TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  estimate TEXT NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  PRIMARY KEY (team_id, fingerprint)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS estimates_by_expiry ON estimates (expires_at_ms);
ALTER TABLE jobs ADD COLUMN estimate TEXT;
