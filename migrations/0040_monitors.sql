CREATE TABLE monitors (
  id TEXT PRIMARY KEY,
  team_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  name TEXT NOT NULL,
  status TEXT NOT NULL,
  config TEXT NOT NULL,
  next_run_at_ms INTEGER,
  last_run_at_ms INTEGER,
  current_check_id TEXT,
  last_summary TEXT,
  created_at_ms INTEGER NOT NULL,
  updated_at_ms INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX monitors_by_team ON monitors (team_id, created_at_ms);
CREATE INDEX monitors_due ON monitors (next_run_at_ms) WHERE status = 'active';
CREATE TABLE monitor_checks (
  id TEXT PRIMARY KEY,
  monitor_id TEXT NOT NULL,
  status TEXT NOT NULL,
  started_by TEXT NOT NULL,
  scheduled_for_ms INTEGER,
  started_at_ms INTEGER,
  finished_at_ms INTEGER,
  lease_until_ms INTEGER NOT NULL,
  plan TEXT,
  actual_credits INTEGER NOT NULL,
  summary TEXT,
  error TEXT,
  created_at_ms INTEGER NOT NULL,
  updated_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX monitor_checks_by_monitor ON monitor_checks (monitor_id, created_at_ms);
CREATE INDEX monitor_checks_open ON monitor_checks (lease_until_ms) WHERE status IN ('queued', 'running');
CREATE INDEX monitor_checks_by_age ON monitor_checks (expires_at_ms);
CREATE TABLE monitor_pages (
  check_id TEXT NOT NULL,
  target_id TEXT NOT NULL,
  url TEXT NOT NULL,
  id TEXT NOT NULL,
  monitor_id TEXT NOT NULL,
  status TEXT NOT NULL,
  body TEXT NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  PRIMARY KEY (check_id, target_id, url)
) WITHOUT ROWID;
CREATE INDEX monitor_pages_by_monitor ON monitor_pages (monitor_id);
CREATE INDEX monitor_pages_by_age ON monitor_pages (expires_at_ms);
CREATE TABLE monitor_states (
  monitor_id TEXT NOT NULL,
  target_id TEXT NOT NULL,
  url TEXT NOT NULL,
  scrape_id TEXT,
  text_hash TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (monitor_id, target_id, url)
) WITHOUT ROWID;
CREATE TABLE monitor_events (
  id INTEGER PRIMARY KEY,
  check_id TEXT NOT NULL,
  monitor_id TEXT NOT NULL,
  webhook_id TEXT NOT NULL,
  event TEXT NOT NULL,
  content TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  due_at_ms INTEGER NOT NULL
);
CREATE INDEX monitor_events_due ON monitor_events (due_at_ms);
CREATE INDEX monitor_events_by_check ON monitor_events (check_id, due_at_ms);
