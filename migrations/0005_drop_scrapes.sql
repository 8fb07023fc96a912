-- Scrapes and cached pages are in Durable Objects; nothing reads the tables that earlier releases made for them. Upkeep
-- empties these in small steps and drops them (`UNUSED_TABLES`): a statement of D1 has 30 seconds.
DROP INDEX IF EXISTS scrapes_by_target;
DROP INDEX IF EXISTS cached_pages_by_body;
