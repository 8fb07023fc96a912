-- Events of jobs that no receiver took: how to find them, and why. What they say stays with their job.
CREATE TABLE failed_webhooks (
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
CREATE INDEX failed_webhooks_of_team ON failed_webhooks (team_id, failed_at_ms, webhook_id);
