-- The active sessions of a key, which end when it is revoked.
CREATE INDEX IF NOT EXISTS active_browser_sessions_of_key ON browser_sessions (team_id, key_id, id)
  WHERE status = 'active';

-- What is deleted by its age, of tables whose primary keys have no order in time.
CREATE INDEX IF NOT EXISTS idempotency_keys_by_age ON idempotency_keys (created_at_ms);
CREATE INDEX IF NOT EXISTS uploads_by_age ON uploads (created_at_ms);
CREATE INDEX IF NOT EXISTS dead_letters_by_age ON dead_letters (arrived_at_ms);
CREATE INDEX IF NOT EXISTS feedback_by_age ON feedback (created_at_ms);
