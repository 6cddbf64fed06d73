from __future__ import annotations

import io
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultkeeper.errors import UnreadableFileError, UsageError
from vaultkeeper.importers.conversion import html_to_markdown, pdf_to_markdown
from vaultkeeper.importers.document import document_item
from vaultkeeper.importers.files import Skipped, check_outside, guess_kind, read_path, read_stream
from vaultkeeper.importers.item import MAX_FILE_BYTES, Item, Original, Source

NOW = datetime(2026, 3, 1, tzinfo=UTC)
SOURCE = Source("manuals", "document")


def item(text: str, suffix: str = ".md", **more: object) -> Item:
    return document_item(Original(text.encode(), suffix, "manuals", "m", **more), SOURCE, NOW)  # type: ignore[arg-type]


def test_the_title_is_the_given_one_or_that_of_the_document_or_its_name() -> None:
    assert item("# Valve\n\ntext").title == "Valve"
    assert item("---\ntitle: Pump\n---\n# Valve\n").title == "Pump"
    assert item("text", title="Given").title == "Given"
    assert item("text").title == "m"
    assert item("Before\n\n# Valve\n").title == "m"


def test_what_has_no_title_inside_gets_it_as_its_first_line() -> None:
    assert item("words", ".txt", title="Valve").body == "# Valve\n\nwords\n"
    assert item("<title>Valve</title><h1>Valve</h1><p>x</p>", ".html").body == "# Valve\n\nx\n"


def test_frontmatter_is_read_and_not_copied() -> None:
    found = item("---\ntags: [a, b/c]\ndate: 2025-01-02\nsecret: x\n---\nwords [[Link]]\n")
    assert found.body == "words [[Link]]\n"
    assert found.tags == ("a", "b/c")
    assert found.start_ms == 1_735_776_000_000


def test_images_in_the_text_are_left_out() -> None:
    found = item("see [IMAGE:aGVsbG8=] and ![x](data:image/png;base64,AAAA) here")
    assert found.body == "see  and  here\n"


@pytest.mark.parametrize(
    "data", [b"", b"  \n", b"---\na: 1\n---\n", bytes(range(32)) * 40, b"\x7fELF" + b"\0\1\2" * 400]
)
def test_what_holds_no_text_is_refused(data: bytes) -> None:
    with pytest.raises(UnreadableFileError):
        document_item(Original(data, ".md", "x", "x"), SOURCE, NOW)


def test_html_loses_its_furniture_and_keeps_its_structure() -> None:
    title, body = html_to_markdown(
        "<html><head><title> A  page </title><style>p{}</style></head><body><nav>menu</nav><header>top</header>"
        "<h2>Part</h2><p>Words <a href='https://example.org'>here</a>.</p><div style='display:none'>hidden</div>"
        "<ul><li>one</li><li>two</li></ul><table><tr><th>a</th></tr><tr><td>1</td></tr></table>"
        "<pre>code()</pre><img src='data:image/png;base64,AA'><footer>foot</footer><script>x()</script></body></html>"
    )
    assert title == "A page"
    for gone in ("menu", "top", "hidden", "foot", "x()", "data:"):
        assert gone not in body
    for kept in ("## Part", "[here](https://example.org)", "- one", "| a |", "code()"):
        assert kept in body


@given(st.text(alphabet="<>/ab =\"'&;p\n", max_size=200))
def test_any_html_is_read(html: str) -> None:
    html_to_markdown(html)


def test_deep_html_does_not_end_the_program() -> None:
    html_to_markdown("<div>" * 3000 + "deep" + "</div>" * 3000)


def make_pdf(*pages: str) -> bytes:
    """A small PDF by hand, with one line a page."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    kids = []
    for text in pages:
        stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode() if text else b""
        objects.append(b"<< /Length %d >>\nstream\n%b\nendstream" % (len(stream), stream))
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R "
            b"/Resources << /Font << /F1 3 0 R >> >> >>" % len(objects)
        )
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<< /Type /Pages /Kids [%b] /Count %d >>" % (b" ".join(kids), len(kids))
    out = io.BytesIO()
    out.write(b"%PDF-1.4\n")
    places = []
    for number, each in enumerate(objects, 1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%b\nendobj\n" % (number, each))
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    for place in places:
        out.write(b"%010d 00000 n \n" % place)
    out.write(b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start))
    return out.getvalue()


def test_a_pdf_has_a_heading_for_each_page() -> None:
    pytest.importorskip("pypdf", reason="the extra `pdf` is not installed")
    assert pdf_to_markdown(make_pdf("The valve is shut.", "It opens."), "m.pdf")[1] == (
        "## Page 1\n\nThe valve is shut.\n\n## Page 2\n\nIt opens."
    )
    assert pdf_to_markdown(make_pdf("Alone."), "m.pdf")[1] == "Alone."
    for broken in (b"%PDF-1.4 nothing", b"no pdf", make_pdf("")):
        with pytest.raises(UnreadableFileError):
            pdf_to_markdown(broken, "m.pdf")


def test_a_folder_gives_an_item_a_file_and_says_what_it_passed_over(tmp_path: Path) -> None:
    for name, data in {
        "a.md": b"# A\n\nwords",
        "sub/b.txt": b"words of b",
        "sub/c.html": b"<p>words of c</p>",
        "empty.md": b"",
        "big.md": b"x" * (MAX_FILE_BYTES + 1),
        "picture.png": b"\x89PNG",
        ".hidden.md": b"hidden",
        ".git/x.md": b"hidden",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    (tmp_path / "link.md").symlink_to(tmp_path / "a.md")
    found = list(read_path(tmp_path, SOURCE, NOW))
    assert [(one.id, one.name) for one in found if isinstance(one, Item)] == [
        ("manuals#a.md", "a"),
        ("manuals#sub/b.txt", "sub/b"),
        ("manuals#sub/c.html", "sub/c"),
    ]
    assert [one for one in found if isinstance(one, Skipped)] == [
        Skipped("big.md", "it is larger than 10 MiB"),
        Skipped("empty.md", "it holds no text"),
    ]


def test_a_file_that_was_named_must_be_readable(tmp_path: Path) -> None:
    (tmp_path / "big.md").write_bytes(b"x" * (MAX_FILE_BYTES + 1))
    with pytest.raises(UnreadableFileError, match="10 MiB"):
        list(read_path(tmp_path / "big.md", SOURCE, NOW))
    with pytest.raises(UnreadableFileError):
        list(read_path(tmp_path / "nowhere.md", SOURCE, NOW))
    with pytest.raises(UnreadableFileError, match="10 MiB"):
        read_stream(b"x" * (MAX_FILE_BYTES + 1), SOURCE, NOW)


def test_kinds_are_guessed_by_name() -> None:
    assert [guess_kind(name) for name in ("a.EML", "b.mbox", "c.jsonl", "d.pdf", "e")] == [
        "email",
        "email",
        "chat",
        "document",
        "document",
    ]


def test_the_vault_is_not_ingested_into_itself(tmp_path: Path) -> None:
    (tmp_path / "vault/Notes").mkdir(parents=True)
    for path in (tmp_path / "vault", tmp_path / "vault/Notes", tmp_path):
        with pytest.raises(UsageError):
            check_outside(path, tmp_path / "vault")
    check_outside(tmp_path / "vault-2", tmp_path / "vault")
