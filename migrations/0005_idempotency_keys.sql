CREATE TABLE idempotency_keys (
  team_id TEXT NOT NULL,
  key TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (team_id, key)
) WITHOUT ROWID;
