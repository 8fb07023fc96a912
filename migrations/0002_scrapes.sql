CREATE TABLE scrapes (
  id TEXT PRIMARY KEY,
  team_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  api_version TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  target TEXT NOT NULL,
  credits_used INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  document TEXT
) WITHOUT ROWID;
