-- Pages of a team have consecutive ids that begin with the team's number, so that a range of ids is a team.
CREATE TABLE indexed_teams (
  team_id TEXT PRIMARY KEY,
  number INTEGER NOT NULL UNIQUE,
  next_page INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE indexed_pages (
  id INTEGER PRIMARY KEY,
  url_mark TEXT NOT NULL,
  url TEXT NOT NULL,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  language TEXT NOT NULL,
  body TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  dated_at_ms INTEGER NOT NULL,
  indexed_at_ms INTEGER NOT NULL
);
CREATE VIRTUAL TABLE page_words USING fts5 (
  title, address, body, marks,
  content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);
