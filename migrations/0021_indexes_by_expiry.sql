-- What is deleted when it has expired, or was created too long ago.
CREATE INDEX IF NOT EXISTS jobs_by_expiry ON jobs (expires_at_ms, created_at_ms);
CREATE INDEX IF NOT EXISTS failed_webhooks_by_expiry ON failed_webhooks (expires_at_ms);
