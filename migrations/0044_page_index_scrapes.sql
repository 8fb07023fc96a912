-- The scrape that a page was indexed from, for as long as its result is kept. Pages from before have none.
ALTER TABLE indexed_pages ADD COLUMN scrape_id TEXT;
