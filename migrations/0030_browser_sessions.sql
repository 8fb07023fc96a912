CREATE TABLE browser_sessions (
  id TEXT PRIMARY KEY,
  team_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  status TEXT NOT NULL,
  scrape_id TEXT,
  stream_web_view INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL,
  last_activity_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  ended_at_ms INTEGER,
  end_reason TEXT,
  credits_billed INTEGER
) WITHOUT ROWID;
CREATE INDEX browser_sessions_by_team ON browser_sessions (team_id, created_at_ms);
CREATE UNIQUE INDEX active_browser_sessions_by_scrape ON browser_sessions (team_id, scrape_id)
  WHERE status = 'active' AND scrape_id IS NOT NULL;
CREATE INDEX browser_sessions_by_scrape ON browser_sessions (team_id, scrape_id, created_at_ms) WHERE scrape_id IS NOT NULL;
CREATE INDEX browser_sessions_by_expiry ON browser_sessions (expires_at_ms);
