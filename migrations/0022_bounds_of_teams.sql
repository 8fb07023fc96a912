-- The feedback of a team within a day, which is counted before more is stored.
CREATE INDEX IF NOT EXISTS feedback_by_team ON feedback (team_id, created_at_ms);
-- The tracked pages of a team, of which the newest are kept: `change_history` does not say whose a page is.
CREATE TABLE IF NOT EXISTS tracked_pages (
  page TEXT PRIMARY KEY,
  team_id TEXT NOT NULL,
  scraped_at_ms INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS tracked_pages_of_team ON tracked_pages (team_id, scraped_at_ms, page);
