"""The codes of everything that can be wrong in a note, each with the sentence that explains it.

`docs/problems.md` is generated from this table. A code that is not in it must not appear in a `Problem`.
"""

from __future__ import annotations

from types import MappingProxyType

CODES = MappingProxyType(
    {
        "text-encoding": "The file is not UTF-8. It was read by a guess; save it as UTF-8.",
        "text-nul": "The file holds NUL characters. It may be damaged, or no text at all.",
        "text-line-ends": "The file mixes kinds of line ends (LF, CRLF, CR).",
        "text-huge": "The note is larger than 5 MB. It is read and indexed, and every save costs a second.",
        "text-long-line": "A line is longer than 100,000 characters. It is read and indexed.",
        "yaml-invalid": "The frontmatter is not valid YAML, so the note has no properties; the body is read.",
        "yaml-tab": "The frontmatter is indented with a tab, which YAML forbids; use blanks.",
        "yaml-duplicate-key": "A property stands twice in the frontmatter, which makes all of it invalid.",
        "yaml-not-properties": "The frontmatter is valid YAML but holds no properties (`key: value`).",
        "yaml-too-deep": "The frontmatter is nested too deeply to be meant.",
        "yaml-too-large": "The aliases of the frontmatter unfold into far too many values.",
        "frontmatter-unclosed": "The first line is `---` and no second one follows: there is no frontmatter.",
        "tag-invalid": "A tag in the properties is not valid: blanks, punctuation, or only digits.",
        "fence-unclosed": "A code fence is never closed, so all that follows is code.",
        "comment-unclosed": "A `%%` comment is never closed, so all that follows is a comment.",
        "html-comment-unclosed": "An HTML comment is never closed, so the rest of the note is hidden.",
        "math-unclosed": "A `$$` formula is never closed; it is read as text.",
        "canvas-invalid": "The canvas is not valid JSON, or has no list of nodes.",
        "canvas-file-missing": "A card of the canvas shows a file that is not in the vault.",
        "link-dead": "A link leads to a note or file that does not exist.",
        "link-ambiguous": "A link could mean several files; Obsidian takes the first that is named.",
        "link-case": "A link finds its file only because letter case is ignored.",
        "heading-missing": "A link leads to a heading that its note does not have.",
        "block-missing": "A link leads to a block that its note does not have.",
    }
)
