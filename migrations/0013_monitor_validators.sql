-- Validators of a page's response, as JSON: the next check requests the page with them, and the site answers 304 when it has not changed.
ALTER TABLE monitor_states ADD COLUMN validators TEXT;
