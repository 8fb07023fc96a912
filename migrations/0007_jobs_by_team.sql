-- The jobs of a team are listed newest first, with the checks of its monitors. Checks from before this column are not listed.
CREATE INDEX IF NOT EXISTS jobs_by_team ON jobs (team_id, created_at_ms, id);
ALTER TABLE monitor_checks ADD COLUMN team_id TEXT;
CREATE INDEX IF NOT EXISTS monitor_checks_by_team ON monitor_checks (team_id, created_at_ms, id) WHERE team_id IS NOT NULL;
