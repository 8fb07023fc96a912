-- Hashes of the converter and of the page that the text of a state was derived from.
ALTER TABLE monitor_states ADD COLUMN source TEXT;
