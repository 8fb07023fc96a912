-- Events that were given up stay with their check until somebody wants them sent again.
ALTER TABLE monitor_events ADD COLUMN lost INTEGER NOT NULL DEFAULT 0;
DROP INDEX monitor_events_due;
CREATE INDEX monitor_events_due ON monitor_events (due_at_ms) WHERE lost = 0;
