-- Messages of queued scrapes that have not ended, of a local service: its queue is in memory, and ends with its process.
CREATE TABLE IF NOT EXISTS pending_scrapes (
  id TEXT PRIMARY KEY,
  task TEXT NOT NULL,
  resent INTEGER NOT NULL DEFAULT 0,
  created_at_ms INTEGER NOT NULL
);
