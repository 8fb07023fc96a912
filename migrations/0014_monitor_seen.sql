-- When a check last listed each page that a monitor knows: pages that are not listed any more leave `monitor_states`.
CREATE TABLE IF NOT EXISTS monitor_seen (
  monitor_id TEXT NOT NULL,
  target_id TEXT NOT NULL,
  url TEXT NOT NULL,
  seen_at_ms INTEGER NOT NULL,
  PRIMARY KEY (monitor_id, target_id, url)
) WITHOUT ROWID;

-- Deleted monitors, until the last row of their data is deleted.
CREATE TABLE IF NOT EXISTS removed_monitors (
  id TEXT PRIMARY KEY
) WITHOUT ROWID;
