"""The tables of the derived index, and their version.

Owns the DDL and nothing else. Indexes stand apart from tables, since a first build is faster without them. Any other
version in a file means: throw it away and rebuild from the notes. Row ids (`*_pk`) are private to one file: they never
leave `index` and never order an answer.
"""

from __future__ import annotations

SCHEMA_VERSION = 3

TABLES = """
-- settings: fingerprint of the settings that shape rows. unfinished: a sync has committed a part of its work.
-- nodes: how often nodes of trees were written or taken out.
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
  kind TEXT NOT NULL,             -- note | canvas | turn | entity | summary | segment | facet | memory | document
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
  kind TEXT NOT NULL,             -- link | embed | property | card
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
  end_ms INTEGER NOT NULL,        -- of the chunk: the newest occurrences of an entity are read off the end of the key
  chunk_pk INTEGER NOT NULL,
  surface TEXT NOT NULL,          -- the first one in the chunk
  mentions INTEGER NOT NULL,      -- how many in the chunk
  PRIMARY KEY(entity_id, end_ms, chunk_pk)
) WITHOUT ROWID;

-- How entities are written, counted. Filled from `occurrences` and kept by triggers (`TRIGGERS`).
CREATE TABLE surfaces(
  entity_id TEXT NOT NULL,
  surface TEXT NOT NULL,
  chunks INTEGER NOT NULL,        -- in which it is the first one
  PRIMARY KEY(entity_id, surface)
) WITHOUT ROWID;

-- Sealed nodes of summary trees: what `memory.nodes` reads from their notes, and from `superseded` on what only the
-- other nodes can tell (`index.nodes`).
CREATE TABLE nodes(
  note_pk INTEGER PRIMARY KEY,
  path TEXT NOT NULL,
  node_id TEXT NOT NULL,
  tree_id TEXT NOT NULL, tree_kind TEXT NOT NULL,
  scope TEXT NOT NULL,            -- tree scope
  level INTEGER NOT NULL,
  start_ms INTEGER NOT NULL, end_ms INTEGER NOT NULL,
  score REAL NOT NULL,
  doc_id TEXT, version_ms INTEGER,
  stale INTEGER NOT NULL,
  retired INTEGER NOT NULL,       -- 1 when the note itself says that it is superseded
  superseded INTEGER NOT NULL,    -- retired, or an older version of a document than another node
  linked INTEGER NOT NULL,        -- 1 when the note names its children by links only, which `child_ids` follows
  changed INTEGER NOT NULL,       -- 1 on level 1 when a leaf went, moved in time or place, is listed elsewhere too, or
                                  -- is of a newer version of its document
  parent_pk INTEGER,              -- the node in force that owns it; NULL at the top
  from_ms INTEGER, to_ms INTEGER, -- time range of that node
  entities TEXT NOT NULL, topics TEXT NOT NULL, child_ids TEXT NOT NULL,  -- JSON lists
  content TEXT NOT NULL           -- the sentences; last, since it is long and seldom read
);

CREATE TABLE children(
  note_pk INTEGER NOT NULL, ord INTEGER NOT NULL,
  child_id TEXT NOT NULL,         -- chunk id or node id
  PRIMARY KEY(note_pk, ord)
) WITHOUT ROWID;

-- The chunks that trees are made of, slim, so that any window of time is one short scan.
CREATE TABLE leaves(
  chunk_pk INTEGER PRIMARY KEY,
  scope TEXT NOT NULL,            -- of the tree: memory.nodes.tree_scope_of(notes.source)
  start_ms INTEGER NOT NULL, end_ms INTEGER NOT NULL,
  tiny INTEGER NOT NULL,          -- 1: too short to be kept unless it names an entity (memory.admission)
  suppressed INTEGER NOT NULL,    -- 1: only nodes of an older version of its document own it
  parent_pk INTEGER, from_ms INTEGER, to_ms INTEGER  -- as in nodes
);

CREATE TABLE problems(
  path TEXT NOT NULL, line INTEGER, code TEXT NOT NULL, message TEXT NOT NULL,
  stage TEXT NOT NULL             -- scan | note | link | anchor | entity: what computes it, and replaces it
);
"""

INDEXES = """
CREATE INDEX IF NOT EXISTS files_key ON files(key);
CREATE INDEX IF NOT EXISTS files_canvas ON files(path) WHERE lower(path) GLOB '*.canvas';
CREATE INDEX IF NOT EXISTS notes_identity ON notes(identity);
CREATE INDEX IF NOT EXISTS notes_window ON notes(kind, end_ms, start_ms);
CREATE INDEX IF NOT EXISTS chunks_note ON chunks(note_pk, seq);
CREATE INDEX IF NOT EXISTS chunks_id ON chunks(chunk_id);
CREATE INDEX IF NOT EXISTS chunks_time ON chunks(end_ms);
CREATE INDEX IF NOT EXISTS chunks_sha ON chunks(text_sha);
CREATE INDEX IF NOT EXISTS links_key ON links(key);
CREATE INDEX IF NOT EXISTS links_resolved ON links(resolved);
CREATE INDEX IF NOT EXISTS occurrences_chunk ON occurrences(chunk_pk);
CREATE INDEX IF NOT EXISTS nodes_id ON nodes(node_id);
CREATE INDEX IF NOT EXISTS nodes_scope ON nodes(scope, end_ms);
CREATE INDEX IF NOT EXISTS nodes_parent ON nodes(parent_pk);
CREATE INDEX IF NOT EXISTS nodes_document ON nodes(doc_id) WHERE doc_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS nodes_linked ON nodes(note_pk) WHERE linked;
CREATE INDEX IF NOT EXISTS nodes_changed ON nodes(scope) WHERE changed;
CREATE INDEX IF NOT EXISTS children_id ON children(child_id);
CREATE INDEX IF NOT EXISTS leaves_window ON leaves(scope, end_ms, start_ms, from_ms, to_ms, tiny, suppressed);
CREATE INDEX IF NOT EXISTS leaves_time ON leaves(end_ms, start_ms, from_ms, to_ms, tiny, suppressed, scope);
CREATE INDEX IF NOT EXISTS leaves_parent ON leaves(parent_pk) WHERE parent_pk IS NOT NULL;
CREATE INDEX IF NOT EXISTS leaves_free ON leaves(scope, tiny) WHERE parent_pk IS NULL;
CREATE INDEX IF NOT EXISTS problems_path ON problems(path);
"""

TRIGGERS = """
CREATE TRIGGER IF NOT EXISTS occurrence_added AFTER INSERT ON occurrences BEGIN
  INSERT INTO surfaces VALUES(new.entity_id, new.surface, 1)
    ON CONFLICT(entity_id, surface) DO UPDATE SET chunks = chunks + 1;
END;
CREATE TRIGGER IF NOT EXISTS occurrence_removed AFTER DELETE ON occurrences BEGIN
  UPDATE surfaces SET chunks = chunks - 1 WHERE entity_id = old.entity_id AND surface = old.surface;
  DELETE FROM surfaces WHERE entity_id = old.entity_id AND surface = old.surface AND chunks = 0;
END;
"""
"""Keep `surfaces` while single notes change; a first build counts once at its end instead (`FILL_SURFACES`)."""

WITHOUT_TRIGGERS = ("DROP TRIGGER IF EXISTS occurrence_added", "DROP TRIGGER IF EXISTS occurrence_removed")

FILL_SURFACES = (
    "INSERT INTO surfaces SELECT entity_id, surface, count(*) FROM occurrences GROUP BY entity_id, surface"
)
