"""HTML and PDF → Markdown, by libraries.

Scripts, menus and other furniture of a page go first; each page of a PDF stands under its number, so that a citation
can name it.
"""

from __future__ import annotations

import io
import logging
import re

from vaultkeeper.errors import UnreadableFileError, UsageError

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


_BROKEN_WORD = re.compile(r"(?<=[a-zà-ÿ])-\n(?=[a-zà-ÿ])")


def pdf_to_markdown(data: bytes, path: str) -> tuple[str, str]:
    """Returns the title that the file gives (or an empty text) and its text.

    Raises:
        UsageError: the extra that reads PDF is not installed.
        UnreadableFileError: it is no PDF, is locked, or holds pictures only.
    """
    try:
        from pypdf import PdfReader
    except ImportError:
        raise UsageError(reason="reading PDF takes the extra `pdf`: pip install 'vaultkeeper[pdf]'") from None
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = PdfReader(io.BytesIO(data))
        pages = [_BROKEN_WORD.sub("", page.extract_text() or "").strip() for page in reader.pages]
        title = " ".join(str((reader.metadata and reader.metadata.title) or "").split())
    except Exception as error:  # whatever a damaged file makes the library raise
        raise UnreadableFileError(path=path, reason=f"it cannot be read as PDF ({error})") from None
    if not any(pages):
        raise UnreadableFileError(path=path, reason="it holds no text; pictures of pages are not read")
    if len(pages) == 1:
        return title, pages[0]
    return title, "\n\n".join(f"## Page {number}\n\n{text}" for number, text in enumerate(pages, 1) if text)
