"""Lists of words inside a rule, quoted or not."""

import re
from collections.abc import Iterable

from gate.testgen.compile.clause import Clause
from gate.testgen.compile.text import LITERAL, MARK

ITEMS = 100
"""Of one list, at most."""

_QUOTED = re.compile(
    rf"(?:both |either |neither )?{LITERAL}"
    rf"(?:(?:, (?:and |or |nor )?|,|; ?| ?/ ?| and | or | nor ){LITERAL}){{0,{ITEMS - 1}}}",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"[^\W_][\w/&+'.-]*(?: [\w/&+'.-]+){0,2}")
_NO_ITEMS = frozenset(
    "a an the another other others any some similar etc none neither either both all each every category categories "
    "label labels of in on at to for from with without by as if unless when where which that who whose than then not "
    "only must should may can be is are and or following above below given input text output user first last more "
    "less respectively accordingly whichever otherwise instead please appropriate depending based possibly perhaps "
    "preferably plus also nothing exactly lowercase uppercase sorted ordered indented quoted nested unique "
    "capitalized".split()
)
"""Words that show that a list says something about its items, or that it is none."""


def literal(clause: Clause, mark: str) -> str:
    """The quotation that a mark stands for."""
    return clause.literals[int(mark.strip(MARK))]


def quoted(clause: Clause, text: str) -> tuple[str, ...]:
    """The quotations of a list that holds nothing else; empty where it does."""
    if not _QUOTED.fullmatch(text):
        return ()
    return _different(literal(clause, mark) for mark in re.findall(LITERAL, text))


def listed(clause: Clause, text: str, *, sure: bool) -> tuple[str, ...]:
    """The items of a list, quoted or not.

    Args:
        clause: where it stands.
        text: the list.
        sure: the sentence cannot do without the `and` before the last item, so that it is none of the item's own.

    Returns:
        Nothing where it is not sure what the items are.
    """
    found = quoted(clause, text)
    if found or MARK in text:
        return found
    parts = [part.strip() for part in text.split(",")]
    parts[-1:] = _ends(parts[-1], alone=len(parts) == 1, sure=sure)
    return _different(parts) if 2 <= len(parts) <= ITEMS and all(map(_item, parts)) and _alike(parts) else ()


def _ends(text: str, *, alone: bool, sure: bool) -> list[str]:
    """The last items of a list: what a comma, or `or`, or a sure `and` stands between."""
    first, _, rest = text.partition(" ")
    if not alone and first in ("or", "and"):
        return [rest]
    if " or " in text or sure:
        return re.split(r" (?:or|and) ", text)
    return [text]


def _alike(items: list[str]) -> bool:
    """All begin with a capital or a digit, or all are single words in small letters: what differs may be a remark."""
    if any(item[0].islower() for item in items):
        return all(item[0].islower() and " " not in item for item in items)
    return True


def _item(text: str) -> bool:
    if len(text) == 1 and text.isupper():
        return True
    return bool(_PLAIN.fullmatch(text)) and _NO_ITEMS.isdisjoint(text.lower().replace(".", "").split())


def _different(items: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(items))
