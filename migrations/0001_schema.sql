-- The schema of the one database. Times are Unix times in milliseconds (`_ms`); `options`, `config`, `plan`, `body` and
-- the like hold JSON that the code parses with a schema. Later migrations only add to this file's tables.
-- Every statement leaves alone what an earlier edition's migrations have created.

-- Keys and teams ------------------------------------------------------------------------------------------------------

-- API keys. A key itself is not stored, only its SHA-256 and its first characters.
CREATE TABLE IF NOT EXISTS api_keys (
  id TEXT PRIMARY KEY,
  key_hash TEXT NOT NULL UNIQUE,
  team_id TEXT NOT NULL,
  name TEXT NOT NULL,
  prefix TEXT NOT NULL,
  scopes TEXT NOT NULL,
  limits TEXT NOT NULL,
  monthly_credits INTEGER,
  max_concurrency INTEGER,
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER,
  revoked_at_ms INTEGER
) WITHOUT ROWID;

-- Requests that carried an Idempotency-Key: who works on each until when, and where its response is stored.
CREATE TABLE IF NOT EXISTS idempotency_keys (
  team_id TEXT NOT NULL,
  key TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  fingerprint TEXT NOT NULL DEFAULT '',
  work_id TEXT NOT NULL DEFAULT '',
  lease_until_ms INTEGER NOT NULL DEFAULT 0,
  answer_key TEXT,
  PRIMARY KEY (team_id, key)
) WITHOUT ROWID;

-- Scrapes, parsed files and cached pages ------------------------------------------------------------------------------

-- The last snapshot of each page that a team tracks for changes.
CREATE TABLE IF NOT EXISTS change_history (
  page TEXT PRIMARY KEY,
  scraped_at_ms INTEGER NOT NULL,
  snapshot TEXT
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS change_history_by_age ON change_history (scraped_at_ms);

-- Files that a team uploads before it asks for them to be parsed: who may send each, and until when.
CREATE TABLE IF NOT EXISTS uploads (
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
CREATE INDEX IF NOT EXISTS uploads_of_team ON uploads (team_id, created_at_ms) WHERE state <> 'parsed';

-- Jobs ----------------------------------------------------------------------------------------------------------------

-- Every crawl, batch scrape, extract, agent, deep research and llms.txt job. Its pages and steps are in its Durable Object.
CREATE TABLE IF NOT EXISTS jobs (
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
CREATE INDEX IF NOT EXISTS running_jobs ON jobs (team_id, kind, created_at_ms) WHERE status = 'scraping';
CREATE INDEX IF NOT EXISTS agent_jobs ON jobs (team_id, created_at_ms) WHERE kind = 'agent';

-- Events of jobs that no receiver accepted: how to find them, and why they failed. Their content stays with their job.
CREATE TABLE IF NOT EXISTS failed_webhooks (
  webhook_id TEXT PRIMARY KEY,
  team_id TEXT NOT NULL,
  job_id TEXT NOT NULL,
  type TEXT NOT NULL,
  url TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  status_code INTEGER,
  error TEXT NOT NULL,
  failed_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS failed_webhooks_of_team ON failed_webhooks (team_id, failed_at_ms, webhook_id);

-- Queue messages that failed on every delivery.
CREATE TABLE IF NOT EXISTS dead_letters (
  id TEXT PRIMARY KEY,
  type TEXT NOT NULL,
  job_id TEXT,
  arrived_at_ms INTEGER NOT NULL
) WITHOUT ROWID;

-- Search --------------------------------------------------------------------------------------------------------------

CREATE TABLE IF NOT EXISTS searches (
  id TEXT PRIMARY KEY,
  team_id TEXT NOT NULL,
  credits_used INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL
) WITHOUT ROWID;

-- Search providers that asked for a pause, and its end.
CREATE TABLE IF NOT EXISTS provider_pauses (
  provider TEXT PRIMARY KEY,
  until_ms INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS feedback (
  team_id TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  job_id TEXT NOT NULL,
  id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  rating TEXT NOT NULL,
  body TEXT NOT NULL,
  credits_refunded INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (team_id, endpoint, job_id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS feedback_refunds ON feedback (team_id, created_at_ms, credits_refunded)
  WHERE credits_refunded > 0;

-- Browser sessions ----------------------------------------------------------------------------------------------------

CREATE TABLE IF NOT EXISTS browser_sessions (
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
CREATE INDEX IF NOT EXISTS browser_sessions_by_team ON browser_sessions (team_id, created_at_ms);
CREATE UNIQUE INDEX IF NOT EXISTS active_browser_sessions_by_scrape ON browser_sessions (team_id, scrape_id)
  WHERE status = 'active' AND scrape_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS browser_sessions_by_scrape ON browser_sessions (team_id, scrape_id, created_at_ms)
  WHERE scrape_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS browser_sessions_by_expiry ON browser_sessions (expires_at_ms);

-- Saved cookies and storage, and the one session that may change each.
CREATE TABLE IF NOT EXISTS browser_profiles (
  team_id TEXT NOT NULL,
  name TEXT NOT NULL,
  writer_session_id TEXT,
  writer_until_ms INTEGER NOT NULL,
  saved_at_ms INTEGER,
  PRIMARY KEY (team_id, name)
) WITHOUT ROWID;

-- Monitors ------------------------------------------------------------------------------------------------------------

CREATE TABLE IF NOT EXISTS monitors (
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
CREATE INDEX IF NOT EXISTS monitors_by_team ON monitors (team_id, created_at_ms);
CREATE INDEX IF NOT EXISTS monitors_due ON monitors (next_run_at_ms) WHERE status = 'active';

-- One run of a monitor each.
CREATE TABLE IF NOT EXISTS monitor_checks (
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
  expires_at_ms INTEGER NOT NULL,
  -- Worker runs since the last one that made progress. A check that makes none is ended.
  idle_turns INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS monitor_checks_by_monitor ON monitor_checks (monitor_id, created_at_ms);
CREATE INDEX IF NOT EXISTS monitor_checks_open ON monitor_checks (lease_until_ms) WHERE status IN ('queued', 'running');
CREATE INDEX IF NOT EXISTS monitor_checks_by_age ON monitor_checks (expires_at_ms);

-- The result of each page in each check.
CREATE TABLE IF NOT EXISTS monitor_pages (
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
CREATE INDEX IF NOT EXISTS monitor_pages_by_monitor ON monitor_pages (monitor_id);
CREATE INDEX IF NOT EXISTS monitor_pages_by_age ON monitor_pages (expires_at_ms);

-- The text of each page that the next check compares with.
CREATE TABLE IF NOT EXISTS monitor_states (
  monitor_id TEXT NOT NULL,
  target_id TEXT NOT NULL,
  url TEXT NOT NULL,
  scrape_id TEXT,
  text_hash TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (monitor_id, target_id, url)
) WITHOUT ROWID;

-- Webhook events of checks that are not delivered yet. Those that were given up stay with their check for a replay.
CREATE TABLE IF NOT EXISTS monitor_events (
  id INTEGER PRIMARY KEY,
  check_id TEXT NOT NULL,
  monitor_id TEXT NOT NULL,
  webhook_id TEXT NOT NULL,
  event TEXT NOT NULL,
  content TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  due_at_ms INTEGER NOT NULL,
  lost INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS monitor_events_due ON monitor_events (due_at_ms) WHERE lost = 0;
CREATE INDEX IF NOT EXISTS monitor_events_by_check ON monitor_events (check_id, due_at_ms);
