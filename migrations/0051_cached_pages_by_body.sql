CREATE INDEX cached_pages_by_body ON cached_pages (body_key);
