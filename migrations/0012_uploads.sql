-- Files that were sent ahead of being read: who may send each, and until when.
CREATE TABLE uploads (
  id TEXT PRIMARY KEY,
  team_id TEXT NOT NULL,
  token_hash TEXT NOT NULL,
  file_name TEXT NOT NULL,
  content_type TEXT,
  max_bytes INTEGER NOT NULL,
  state TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX uploads_of_team ON uploads (team_id, created_at_ms) WHERE state <> 'parsed';
