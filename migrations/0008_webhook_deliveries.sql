-- Attempts to deliver webhook events, the newest of each team. `target` is JSON with the URL and the caller's headers. The
-- body is cut when it is long, and empty for jobs with zero data retention.
CREATE TABLE IF NOT EXISTS webhook_deliveries (
  id TEXT PRIMARY KEY,
  team_id TEXT NOT NULL,
  webhook_id TEXT NOT NULL,
  job_id TEXT,
  type TEXT NOT NULL,
  url TEXT NOT NULL,
  target TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  kind TEXT NOT NULL,
  status_code INTEGER,
  error TEXT,
  duration_ms INTEGER NOT NULL,
  sent_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  request_headers TEXT NOT NULL,
  request_body TEXT NOT NULL,
  is_body_complete INTEGER NOT NULL,
  response_type TEXT,
  response_body TEXT
);
CREATE INDEX IF NOT EXISTS webhook_deliveries_of_team ON webhook_deliveries (team_id, id);
CREATE INDEX IF NOT EXISTS webhook_deliveries_by_expiry ON webhook_deliveries (expires_at_ms);
