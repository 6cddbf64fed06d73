"""Vaults made from a seed, for measurements: the same arguments give the same bytes.

    python benchmarks/vaults.py FOLDER --notes 10000 --seed 1

A note has about 1.5 KB: frontmatter of five keys, three headings, two tags, five links, and people and projects
by name, alias and e-mail. One note in forty declares an entity; one in eighty is Chinese.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

_FIRST = (
    "Mara Jonas Ilse Tomás Priya Kwame Yuki Lena Omar Greta Anton Bea Cyril Dina Emil Freya Goran Hedda Ivo Juno "
    "Kaspar Lotte Milan Nadia Otto Petra Quinn Rosa Sven Talia Ugo Vera Wim Xenia Yann Zora"
)
FIRST = _FIRST.split()
_LAST = (
    "Lindqvist Okafor Brandt Núñez Raman Mensah Tanaka Vogel Haddad Solberg Petrov Castell Moreau Said Keller Dahl "
    "Horvat Nyström Bianchi Archer Weiss Jansen Kovač Rahmani Fischer Novak Byrne Marín Eklund Amari"
)
LAST = _LAST.split()
_SYLLABLES = (
    "ba be bi bo bra cal cen cha con cor da del der di dor en er fa fen fi flo for ga gen gra ha hel in ka ken la len li "
    "lo lum ma men mi mo na nel ni nor o pa pel per pla po ra ren ri ro sa sel sen si so sta ta ten ter ti to tra u va ven "
    "ver vi vo wa wen yo za"
)
SYLLABLES = _SYLLABLES.split()
FOLDERS = ("daily", "meetings", "projects", "reading", "ideas", "areas/health", "areas/home", "archive/2024")
_COMMON = (
    "the of and to a in that it is was for on with as at by from this be are or an we they have not but what all were "
    "when there can said which do how if will up about out many then them these so some"
)
COMMON = _COMMON.split()
CHINESE = "今天我们讨论了项目的进展并决定下周再次开会研究新的设计方案大家都同意先完成测试然后发布文档"


def generate(root: Path, notes: int, seed: int = 1) -> None:
    """Writes a vault of `notes` notes below `root`, which is made; existing files of other names stay."""
    pick = random.Random(f"{seed}/{notes}")
    words = sorted({"".join(pick.choices(SYLLABLES, k=pick.choice((2, 2, 3, 3, 4)))) for _ in range(9000)})
    weights = [1 / (rank + 3) for rank in range(len(words))]
    pick.shuffle(words)
    pool = pick.choices(words, weights, k=60_000)
    people = _people(pick, max(8, notes // 40))
    titles = [f"{_phrase(pick, pool, 3).title()} {number}" for number in range(notes - len(people))]
    folders = [pick.choice(FOLDERS) for _ in titles]
    (root / "entities/person").mkdir(parents=True, exist_ok=True)
    for folder in FOLDERS:
        (root / folder).mkdir(parents=True, exist_ok=True)
    for number, (name, alias, email) in enumerate(people):
        slug = email.partition("@")[0]
        text = (
            f"---\nid: person:{slug}\nkind: person\ndisplay_name: {name}\naliases:\n  - {alias}\n  - {name.split()[0]} {number}\n"
            f"emails:\n  - {email}\n---\n\n{_paragraph(pick, pool, people, titles, 40)}\n"
        )
        (root / f"entities/person/{slug}.md").write_text(text, encoding="utf-8")
    for number, (title, folder) in enumerate(zip(titles, folders, strict=True)):
        (root / folder / f"{title}.md").write_text(
            _note(pick, pool, people, titles, number), encoding="utf-8"
        )


def _people(pick: random.Random, count: int) -> list[tuple[str, str, str]]:
    """Full name, alias and e-mail; all of them differ."""
    people = []
    for number in range(count):
        first, last = pick.choice(FIRST), pick.choice(LAST)
        name = (
            f"{first} {last}" if number < 200 else f"{first} {last}-{pick.choice(SYLLABLES).title()}{number}"
        )
        alias = f"{first[:2]}{last[:3]}{number}"
        people.append((name, alias, f"{first.lower()}.{number}@example.org"))
    return people


def _phrase(pick: random.Random, pool: list[str], length: int) -> str:
    start = pick.randrange(len(pool) - length)
    return " ".join(pool[start : start + length])


def _paragraph(
    pick: random.Random, pool: list[str], people: list[tuple[str, str, str]], titles: list[str], length: int
) -> str:
    start = pick.randrange(len(pool) - length)
    words = pool[start : start + length]
    for at in range(1, length, 3):
        words[at] = pick.choice(COMMON)
    for at in range(9, length, 10):
        words[at] += pick.choice((".", ",", ".", ";"))
    if pick.random() < 0.6:
        name, alias, email = pick.choice(people)
        words[pick.randrange(length)] += f" {pick.choice((name, alias, name, email))}"
    words[pick.randrange(length)] += f" [[{pick.choice(titles)}]]"
    text = " ".join(words).rstrip(".,;")
    return f"{text[0].upper()}{text[1:]}."


def _note(
    pick: random.Random, pool: list[str], people: list[tuple[str, str, str]], titles: list[str], number: int
) -> str:
    day = f"2026-{pick.randint(1, 12):02}-{pick.randint(1, 28):02}"
    head = (
        f"---\ncreated: {day}T{pick.randint(7, 22):02}:{pick.randint(0, 59):02}:00\nstatus: {pick.choice(('open', 'done', 'waiting'))}\n"
        f"tags:\n  - {pick.choice(pool)}\n  - area/{pick.choice(pool)}\naliases:\n  - {_phrase(pick, pool, 2)}\n"
        f'project: "[[{pick.choice(titles)}]]"\n---\n'
    )
    parts = [head, "", _paragraph(pick, pool, people, titles, 38)]
    for level in ("##", "##", "###"):
        parts += [
            "",
            f"{level} {_phrase(pick, pool, 2).capitalize()}",
            "",
            _paragraph(pick, pool, people, titles, 50),
        ]
    parts += ["", f"- [ ] {_phrase(pick, pool, 4)} #{pick.choice(pool)}", f"- {_phrase(pick, pool, 6)}"]
    if number % 80 == 7:
        start = pick.randrange(20)
        parts += ["", f"{CHINESE[start:]}。{CHINESE[: start + 9]}。"]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--notes", type=int, default=2000)
    arguments.add_argument("--seed", type=int, default=1)
    chosen = arguments.parse_args()
    generate(chosen.folder, chosen.notes, chosen.seed)
