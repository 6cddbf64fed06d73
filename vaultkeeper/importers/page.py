"""HTML → Markdown, by a library, after scripts, menus and other furniture are out."""

from __future__ import annotations

import re

_FURNITURE = (
    "script",
    "style",
    "noscript",
    "template",
    "nav",
    "header",
    "footer",
    "aside",
    "form",
    "iframe",
    "svg",
    "head",
    "title",
)
_BLANKS = re.compile(r"\n[ \t]*(?:\n[ \t]*){2,}")
_INVISIBLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.I)
_DATA = re.compile(r"!\[[^\]]*\]\(data:[^)]*\)|\[?\[IMAGE:[^\]]*\]\]?")
_MOST_DEPTH = 400


def html_to_markdown(html: str) -> tuple[str, str]:
    """Returns the title (empty when there is none) and the body as Markdown. Never raises on what the page holds."""
    from bs4 import BeautifulSoup
    from markdownify import MarkdownConverter

    soup = BeautifulSoup(html, "html.parser")
    title = " ".join(soup.title.get_text().split()) if soup.title else ""
    main = soup.find("main") or soup.find("article") or soup.body or soup
    for name in _FURNITURE:
        for tag in main.find_all(name):
            tag.decompose()
    for tag in main.find_all(style=_INVISIBLE):
        if not tag.decomposed:
            tag.decompose()
    try:
        text = MarkdownConverter(heading_style="ATX", bullets="-", escape_misc=False).convert_soup(main)
    except RecursionError:
        text = main.get_text("\n")
    text = _DATA.sub("", text.replace("\xa0", " "))
    lines = "\n".join(line.rstrip() for line in text.split("\n"))
    return title, _BLANKS.sub("\n\n", lines).strip()
