-- What listing the pages of each target gave, as JSON: the list of checks then does without their plans, which have up to 1.5 MB.
ALTER TABLE monitor_checks ADD COLUMN target_results TEXT;
