-- The search index is in Durable Objects, one for each team. What this database had is not moved: a page is found again when
-- it is next scraped or crawled. Nothing reads the tables of the earlier index. Upkeep empties the large ones in small steps
-- and drops them (`UNUSED_TABLES`): a statement of D1 has 30 seconds.
DROP TABLE IF EXISTS indexed_teams;
