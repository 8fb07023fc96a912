-- Numbers of pages of a crawl or batch that has ended, as JSON ({"completed", "failed", "total"}), for the list of jobs.
ALTER TABLE jobs ADD COLUMN pages TEXT;
