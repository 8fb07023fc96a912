-- Scrapes and cached pages are in Durable Objects; nothing reads these tables.
DROP TABLE IF EXISTS scrapes;
DROP TABLE IF EXISTS cached_pages;
