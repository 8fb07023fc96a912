-- The earlier job whose stored documents a crawl refers to: their folder is kept as long as the crawl.
ALTER TABLE jobs ADD COLUMN since_id TEXT;
-- Jobs that took more than an hour: their folders are kept beyond the retention of their day.
CREATE INDEX IF NOT EXISTS long_jobs ON jobs (created_at_ms) WHERE ended_at_ms - created_at_ms > 3600000;
