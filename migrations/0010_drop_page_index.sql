-- The search index is in Durable Objects, one for each team. What this database had is not moved: a page is found again when
-- it is next scraped or crawled. Nothing reads these tables.
DROP TABLE IF EXISTS page_words;
DROP TABLE IF EXISTS indexed_pages;
DROP TABLE IF EXISTS indexed_teams;
