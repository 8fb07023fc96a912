CREATE TABLE browser_profiles (
  team_id TEXT NOT NULL,
  name TEXT NOT NULL,
  writer_session_id TEXT,
  writer_until_ms INTEGER NOT NULL,
  saved_at_ms INTEGER,
  PRIMARY KEY (team_id, name)
) WITHOUT ROWID;
