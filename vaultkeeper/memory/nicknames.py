"""Short forms of given names.

Owns one list, used for guessing in `memory.resolve` only; nothing in the index depends on it.
"""

from __future__ import annotations

_GROUPS = """
alexander alex sasha xander alec
alexandra alex sasha sandra lexi
andrew andy drew
andreas andi
anthony antony tony
barbara barb babs
benjamin ben benny
catherine katherine kathryn cathy kathy kate katie kat
charles charlie chuck
christine christina chris chrissy tina
christopher chris kit
christian chris
daniel dan danny
david dave davy
deborah debbie deb
donald don donnie
dorothy dot dottie
edward ed eddie ted ned
elizabeth elisabeth liz lizzie beth betty eliza lisa elsie
emily em emmy
francis frank
frances fran
frederick fred freddy
friedrich fritz
gabriel gabe
gabriele gabi
gerald gerry jerry
gregory greg
helena helen lena
henry harry hank
isabella isabel bella izzy
jacob jake
james jim jimmy jamie
janet jan
jennifer jen jenny
jessica jess jessie
johannes hans jan johan
john johnny jack
jonathan jon jonny
joseph joe joey josef sepp
joshua josh
judith judy
katharina kathi katja
kenneth ken kenny
lawrence larry
leonard leo len lenny
margaret maggie meg peggy marge greta
marguerite maggie
matthew matt
matthias matze
maximilian max
michael mike mick mickey michi
nathaniel nathan nate nat
nicholas nick nicky nicolas klaus
pamela pam
patricia pat patty trish
patrick pat paddy
peter pete
philip phillip phil
raymond ray
rebecca becky becca
richard rick rich ricky dick
robert rob robbie bob bobby bert
ronald ron ronnie
samuel sam sammy
samantha sam
stephen steven steve
stefan steffen
susan sue susie
suzanne suzy
theodore ted theo teddy
theresa terry tess tessa
thomas tom tommy
timothy tim timmy
tobias tobi
ulrich uli
victoria vicky tori
vincent vince
wilhelm willi willy
willem wim pim
william will bill billy liam willie
zachary zach zack
"""


def _table() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for line in _GROUPS.split("\n"):
        formal, *short = line.split() or [""]
        for name in short:
            table.setdefault(name, {name}).add(formal)
        if formal:
            table.setdefault(formal, {formal}).add(formal)
    return {name: frozenset(formal) for name, formal in table.items()}


_FORMAL = _table()


def same_given_name(left: str, right: str) -> bool:
    """Whether two lower-case given names can be forms of one (`bob`, `robert`)."""
    return left == right or not _FORMAL.get(left, frozenset({left})).isdisjoint(_FORMAL.get(right, {right}))
