"""PDF → Markdown: the text of each page under its number, so that a citation can name the page."""

from __future__ import annotations

import io
import logging
import re

from vaultkeeper.errors import UnreadableFileError, UsageError

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
