CREATE TABLE cached_pages (
  url_hash TEXT NOT NULL,
  screenshot TEXT NOT NULL,
  wait_for_ms INTEGER NOT NULL,
  stored_at_ms INTEGER NOT NULL,
  body_key TEXT NOT NULL,
  screenshot_key TEXT,
  page TEXT NOT NULL,
  PRIMARY KEY (url_hash, screenshot, wait_for_ms)
) WITHOUT ROWID;
