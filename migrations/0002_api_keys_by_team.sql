-- The keys of a team, newest first, are read without those of other teams.
CREATE INDEX IF NOT EXISTS api_keys_by_team ON api_keys (team_id, created_at_ms);
