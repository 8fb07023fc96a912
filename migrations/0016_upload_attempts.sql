-- Which of several files that were sent to an upload at once came first: it is stored under a key of its own.
ALTER TABLE uploads ADD COLUMN attempt TEXT;
