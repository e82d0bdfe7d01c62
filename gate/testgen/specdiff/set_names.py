"""Names that a statement of a template sets: where it differs, every sentence that uses one says something else."""

import re
from collections.abc import Iterator

from gate.testgen.specdiff.place import Side

_SET = re.compile(r"\{%[-+]?\s*set\s+([\w.,\s]+?)\s*(?:=|\||[-+]?%\})(.*)", re.DOTALL)
_STATEMENT = re.compile(r"\{[%{].*?[%}]\}", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_]\w*")
_ROUNDS = 10
"""Names that are set from names that are set from names, and so on."""


def reset(side: Side) -> frozenset[str]:
    """The names that one version sets in a way of its own, and those that are set from them.

    Args:
        side: the version.
    """
    own = [names for unit in side.differing for names, _ in _sets(unit.words)]
    found = {name for names in own for name in names}
    every = [one for unit in side.units for one in _sets(unit.words)]
    for _ in range(_ROUNDS):
        more = {name for names, used in every if used & found for name in names} - found
        if not found or not more:
            break
        found |= more
    return frozenset(found)


def uses(side: Side, evidence: str, names: frozenset[str]) -> bool:
    """Does a sentence that holds some words put in one of the names, or depend on it?

    Args:
        side: the version that the words are of.
        evidence: the words.
        names: set in another way than before.
    """
    if not names:
        return False
    said = (unit.words + "\n" + "\n".join(unit.within) for unit in side.around(evidence))
    return any(names & set(_NAME.findall(found)) for text in said for found in _live(text))


def _live(text: str) -> Iterator[str]:
    yield from _STATEMENT.findall(text)
    yield from text.split("\n")[1:]


def _sets(text: str) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """The names that each statement sets, and those that it sets them from."""
    for statement in _STATEMENT.findall(text):
        if found := _SET.match(statement):
            yield frozenset(_NAME.findall(found[1])), frozenset(_NAME.findall(found[2]))
