"""The tables of the derived index, and their version.

Owns the DDL and nothing else. Indexes stand apart from tables, since a first build is faster without them. Any other
version in a file means: throw it away and rebuild from the notes.
Row ids (`*_pk`) are private to one file: they never leave `index` and never order an answer.
"""

from __future__ import annotations

SCHEMA_VERSION = 1

TABLES = """
-- settings: fingerprint of the settings that shape rows. unfinished: a sync has committed a part of its work.
-- mentions_upto: chunks up to this one have their occurrences. synced_at, scanned_at: Unix milliseconds.
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- Every file of the vault that a link can name. Notes are in `notes` too.
CREATE TABLE files(
  path TEXT PRIMARY KEY,
  size INTEGER NOT NULL,          -- -1 when the stat cannot be trusted: looked into again by the next sync
  mtime_ns INTEGER NOT NULL, inode INTEGER NOT NULL, ctime_ns INTEGER NOT NULL,
  key TEXT NOT NULL,              -- vault.links.link_key(path): which links could mean it
  note_pk INTEGER                 -- NULL for an attachment, and for a note that cannot be read
) WITHOUT ROWID;

CREATE TABLE notes(
  note_pk INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  identity TEXT NOT NULL,         -- frontmatter `id` (or `source_id`), else the path; first part of chunk ids
  title TEXT NOT NULL,            -- what Obsidian shows: the file name without .md
  kind TEXT NOT NULL,             -- note | turn | entity | summary | segment | facet | memory | document
  source TEXT NOT NULL,           -- tree scope: notes:<top folder>, episodic:<session>, document:<slug> …
  sha256 BLOB NOT NULL,           -- of the bytes on disk
  start_ms INTEGER NOT NULL, end_ms INTEGER NOT NULL,
  dated_by TEXT NOT NULL,         -- property | name | mtime
  aliases TEXT NOT NULL,          -- JSON list, [] when none; so are the next three
  headings TEXT NOT NULL,         -- JSON [[level, text, line], …]
  blocks TEXT NOT NULL,           -- JSON [[id, line], …]
  properties TEXT NOT NULL        -- JSON object
);

CREATE TABLE chunks(
  chunk_pk INTEGER PRIMARY KEY,
  chunk_id TEXT NOT NULL,         -- 32 hex, vault.chunks.chunk_id; equal for copies of one note
  note_pk INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  title TEXT NOT NULL,            -- of the note (external content of the FTS table needs it here)
  heading TEXT NOT NULL,          -- heading path, ` > ` between
  body TEXT NOT NULL,             -- Markdown of the section
  context TEXT NOT NULL,          -- searched but never shown: dates in words, aliases, property values
  anchor TEXT NOT NULL,
  line INTEGER NOT NULL,
  start INTEGER NOT NULL,         -- offset in the note's text
  tokens INTEGER NOT NULL,        -- approximate, CJK-aware
  cjk INTEGER NOT NULL,           -- 1 when the chunk is in chunks_cjk too
  text_sha BLOB NOT NULL,         -- sha256 of the text that is embedded
  start_ms INTEGER NOT NULL, end_ms INTEGER NOT NULL
);

CREATE VIRTUAL TABLE chunks_fts USING fts5(
  title, heading, body, context,
  content='chunks', content_rowid='chunk_pk',
  tokenize='porter unicode61 remove_diacritics 2'
);

-- Bigrams of every run of Chinese, Japanese or Korean, separated by blanks; contentless.
CREATE VIRTUAL TABLE chunks_cjk USING fts5(grams, content='', tokenize='unicode61 remove_diacritics 0');

CREATE TABLE tags(note_pk INTEGER NOT NULL, tag TEXT NOT NULL, PRIMARY KEY(note_pk, tag)) WITHOUT ROWID;

CREATE TABLE links(
  note_pk INTEGER NOT NULL, ord INTEGER NOT NULL,
  kind TEXT NOT NULL,             -- link | embed | property
  target TEXT NOT NULL, subpath TEXT NOT NULL, label TEXT NOT NULL,
  line INTEGER NOT NULL, start INTEGER NOT NULL,
  markdown INTEGER NOT NULL,      -- 1 for [label](target)
  key TEXT NOT NULL,              -- vault.links.link_key(target): which new files could change it
  resolved TEXT,                  -- path, NULL when dead
  PRIMARY KEY(note_pk, ord)
) WITHOUT ROWID;

CREATE TABLE entities(
  entity_id TEXT NOT NULL, kind TEXT NOT NULL, display_name TEXT NOT NULL,
  note_pk INTEGER NOT NULL,
  names TEXT NOT NULL,            -- JSON object of the lists aliases, emails, handles, merged_ids, and the two times
  PRIMARY KEY(entity_id, note_pk)
) WITHOUT ROWID;

CREATE TABLE occurrences(
  entity_id TEXT NOT NULL,        -- registered, or mechanical such as email:…, hashtag:…
  chunk_pk INTEGER NOT NULL,
  surface TEXT NOT NULL,          -- the first one in the chunk
  mentions INTEGER NOT NULL,      -- how many in the chunk
  PRIMARY KEY(entity_id, chunk_pk)
) WITHOUT ROWID;

CREATE TABLE problems(
  path TEXT NOT NULL, line INTEGER, code TEXT NOT NULL, message TEXT NOT NULL,
  stage TEXT NOT NULL             -- scan | note | link | anchor | entity: what computes it, and replaces it
);
"""

INDEXES = """
CREATE INDEX IF NOT EXISTS files_key ON files(key);
CREATE INDEX IF NOT EXISTS notes_identity ON notes(identity);
CREATE INDEX IF NOT EXISTS chunks_note ON chunks(note_pk, seq);
CREATE INDEX IF NOT EXISTS chunks_id ON chunks(chunk_id);
CREATE INDEX IF NOT EXISTS chunks_time ON chunks(end_ms);
CREATE INDEX IF NOT EXISTS chunks_sha ON chunks(text_sha);
CREATE INDEX IF NOT EXISTS links_key ON links(key);
CREATE INDEX IF NOT EXISTS links_resolved ON links(resolved);
CREATE INDEX IF NOT EXISTS occurrences_chunk ON occurrences(chunk_pk);
CREATE INDEX IF NOT EXISTS problems_path ON problems(path);
"""
