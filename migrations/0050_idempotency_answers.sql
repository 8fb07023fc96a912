ALTER TABLE idempotency_keys ADD COLUMN fingerprint TEXT NOT NULL DEFAULT '';
ALTER TABLE idempotency_keys ADD COLUMN work_id TEXT NOT NULL DEFAULT '';
ALTER TABLE idempotency_keys ADD COLUMN lease_until_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE idempotency_keys ADD COLUMN answer_key TEXT;
