CREATE TABLE provider_pauses (
  provider TEXT PRIMARY KEY,
  until_ms INTEGER NOT NULL
) WITHOUT ROWID;
