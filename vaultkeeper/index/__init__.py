"""The derived index: SQLite full text, links, occurrences and vectors. May be deleted at any moment."""
