CREATE INDEX agent_jobs ON jobs (team_id, created_at_ms) WHERE kind = 'agent';
