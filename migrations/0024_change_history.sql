CREATE TABLE change_history (
  page TEXT PRIMARY KEY,
  scraped_at_ms INTEGER NOT NULL,
  snapshot TEXT
) WITHOUT ROWID;
CREATE INDEX change_history_by_age ON change_history (scraped_at_ms);
