-- The name of a session, the profile that it uses and whether it is recorded, for the list after its end.
ALTER TABLE browser_sessions ADD COLUMN name TEXT;
ALTER TABLE browser_sessions ADD COLUMN profile TEXT;
ALTER TABLE browser_sessions ADD COLUMN is_recorded INTEGER;
