-- 1 for a job whose options lack long fields, which the job's own object has.
ALTER TABLE jobs ADD COLUMN are_options_cut INTEGER;
