CREATE TABLE jobs (
  id TEXT PRIMARY KEY,
  team_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  api_version TEXT NOT NULL,
  status TEXT NOT NULL,
  target TEXT NOT NULL,
  options TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  ended_at_ms INTEGER,
  expires_at_ms INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX running_jobs ON jobs (team_id, kind, created_at_ms) WHERE status = 'scraping';
