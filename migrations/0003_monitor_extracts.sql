-- Data that was extracted from each page, for monitors that compare fields, as JSON.
ALTER TABLE monitor_states ADD COLUMN extracted TEXT;
