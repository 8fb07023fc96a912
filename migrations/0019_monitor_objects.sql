-- Key of the object in R2 with the text and the data of a page, where they are too long for the row.
ALTER TABLE monitor_states ADD COLUMN object_key TEXT;
-- Objects that no state names any more, or not yet, and when each is deleted.
CREATE TABLE IF NOT EXISTS unused_state_objects (
  key TEXT PRIMARY KEY,
  delete_at_ms INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS unused_state_objects_by_time ON unused_state_objects (delete_at_ms);
