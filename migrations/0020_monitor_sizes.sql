-- Bytes of the rows of a check that has ended, and of a monitor's checks together: those of a team are bounded.
ALTER TABLE monitor_checks ADD COLUMN bytes INTEGER;
CREATE INDEX IF NOT EXISTS monitor_checks_by_size ON monitor_checks (monitor_id, bytes) WHERE bytes IS NOT NULL;
CREATE TABLE IF NOT EXISTS monitor_sizes (
  monitor_id TEXT PRIMARY KEY,
  team_id TEXT NOT NULL,
  bytes INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS monitor_sizes_of_team ON monitor_sizes (team_id, bytes);
