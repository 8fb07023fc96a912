CREATE INDEX scrapes_by_target ON scrapes (team_id, target) WHERE endpoint = 'scrape';
