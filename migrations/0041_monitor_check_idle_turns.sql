-- Turns of a check since one of them last got on, so that a check which never does comes to an end.
ALTER TABLE monitor_checks ADD COLUMN idle_turns INTEGER NOT NULL DEFAULT 0;
