"""The codes of everything that can be wrong in a note, each with the sentence that explains it.

`docs/problems.md` is generated from this table. A code that is not in it must not appear in a `Problem`.
"""

from __future__ import annotations

from types import MappingProxyType

CODES = MappingProxyType(
    {
        "text-encoding": "The file is not UTF-8. It was read by a guess; save it as UTF-8.",
        "text-nul": "The file holds NUL characters. It may be damaged, or no text at all.",
        "text-line-ends": "The file mixes kinds of line ends (LF, CRLF, CR). It is read all the same.",
        "text-huge": "The note is larger than 5 MB. It is read and indexed, and every save costs a second.",
        "text-long-line": "A line is longer than 100,000 characters. It is read and indexed.",
        "yaml-invalid": "The frontmatter is not valid YAML, so the note has no properties; the body is read.",
        "yaml-tab": "The frontmatter is indented with a tab, which YAML forbids; use blanks.",
        "yaml-duplicate-key": "A property stands twice in the frontmatter, which makes all of it invalid.",
        "yaml-not-properties": "The frontmatter is valid YAML but holds no properties (`key: value`).",
        "yaml-too-deep": "The frontmatter is nested too deeply to be meant; only the body is read.",
        "yaml-too-large": "The anchors (`&`) of the frontmatter unfold into too many values; only the body is read.",
        "frontmatter-unclosed": "The first line is `---` and no second one follows: there is no frontmatter.",
        "tag-invalid": "A tag in the properties is not valid: blanks, punctuation, or only digits. Write `two-words`.",
        "fence-unclosed": "A code fence is never closed, so all that follows is code.",
        "comment-unclosed": "A `%%` comment is never closed, so all that follows is a comment.",
        "html-comment-unclosed": "An HTML comment is never closed, so the rest of the note is hidden.",
        "math-unclosed": "A `$$` formula is never closed; it is read as text.",
        "canvas-invalid": "The canvas is not valid JSON, or has no list of nodes.",
        "canvas-file-missing": "A card of the canvas shows a file that is not in the vault.",
        "link-dead": "A link leads to a note or file that does not exist. Make it, correct the link, or leave it.",
        "link-ambiguous": "A link could mean several files; Obsidian takes the first named. Write [[Folder/Note]].",
        "link-case": "A link has other capitals than its file. It works, but not everywhere; write it like the file.",
        "heading-missing": "A link leads to a heading that its note does not have; it opens the note at its beginning.",
        "block-missing": "A link leads to a block that its note does not have; it opens the note at its beginning.",
        "id-duplicate": "Several notes have the same `id`, so a citation may mean another. Give one another id.",
        "entity-id-duplicate": "Several notes declare the same entity; their names count together.",
        "entity-name-ambiguous": "Two entities share a name; a text that says only that is linked to all of them.",
        "entity-id-invalid": "The `id` of an entity is not written as `kind:name`; the right form is used.",
        "entity-kind-unknown": "The `kind` of a registry note is none of the known ones; `misc` is used.",
        "entity-kind-mismatch": "The kind in the `id` of an entity is another than that of `kind` or of its folder.",
        "entity-field-invalid": "A field of an entity holds something else than texts; that part is left out.",
        "entity-email-invalid": "An e-mail address of an entity is none; it is left out.",
        "note-unreadable": "The note cannot be read from the disk, so it is not indexed.",
        "folder-unreadable": "A folder cannot be read, so what it holds is not indexed.",
        "name-not-utf8": "The name of a file is not valid UTF-8, so it is not indexed.",
        "sync-conflict": "A sync service left a second copy of a file. It is not indexed; merge and delete it.",
        "cloud-placeholder": "The file is only in a cloud and not on this machine, so it is not indexed.",
        "symlink-broken": "A symbolic link leads nowhere. Remove it, or bring its target back.",
        "symlink-inside": "A symbolic link leads to a place in the vault, which is indexed where it lies.",
        "symlink-outside": "A symbolic link leads out of the vault and is not followed.",
        "index-in-vault": "The index lies inside the vault, where sync services break it.",
        "tree-damaged": "A summary note contradicts its tree: a lost child, a second parent, a wrong level or time.",
        "history-damaged": "The history of changes cannot be read. Notes are not concerned.",
        "hnsw-unavailable": "hnswlib cannot be loaded; vectors of large vaults are searched exactly, which is slower.",
        "inotify-limit": "The vault has more folders than the kernel lets one user watch.",
        "clock-skew": "The time of a file lies more than a day in the future. Look at that machine's clock.",
    }
)
