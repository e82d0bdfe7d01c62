"""What code holds against a judge that takes two wordings for the same.

A prompt speaks to the judge through its rules, so the word "same" has to agree with what code can see: where numbers,
quoted words, negations or words of obligation differ, nobody but a person says that nothing changed.
"""

import re
from collections.abc import Callable, Mapping

from gate.domain.specdiff import AlignedBy, Relation
from gate.testgen.specdiff.units import plain
from gate.testgen.specdiff.wording import similarity

UNLIKE = 0.25
"""Two sentences below this similarity have hardly a word in common: a judge alone does not make them one rule."""

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NAMES = "zero one two three four five six seven eight nine ten".split()
_WORDS = {word: str(number) for number, word in enumerate(_NAMES)}
_QUOTED = re.compile(r"\"([^\"]+)\"|'([^']{2,})'|`([^`]+)`")
_BOUND = re.compile(r"\b(?:no|not) (?:more|less|fewer|longer|shorter|later|earlier) than\b|\bnot exceed\b|\bnot over\b")
_NOT = re.compile(r"\b(?:not|never|no|none|nor|without|nicht|nie|niemals|kein\w*|ohne)\b|n't\b")
_WEAK = re.compile(r"\b(?:may|might|can|could|should|ideally|preferably|usually|try|sollte\w*|kann|könn\w*)\b")


def held(relation: Relation, wordings: tuple[str, str], by: AlignedBy) -> tuple[Relation, str]:
    """A judge's word about two wordings, or that it cannot be taken, and why.

    Args:
        relation: the judge's.
        wordings: before and after.
        by: how the two were found to be one rule.

    Returns:
        The relation, and the reason where it is not the judge's.
    """
    if relation != "reworded":
        return relation, ""
    if by == "meaning" and similarity(*wordings) < UNLIKE:
        return "unknown", "the judge takes them for one rule, and they have hardly a word in common"
    for what, seen in _SEEN.items():
        if seen(wordings[0]) != seen(wordings[1]):
            return "unknown", f"the judge takes them for the same, and their {what} differ"
    return relation, ""


def _numbers(text: str) -> list[str]:
    words = re.findall(r"[\w.,]+", plain(text).casefold())
    found = [_WORDS.get(word.strip(".,"), "") or "".join(_NUMBER.findall(word)) for word in words]
    return sorted(one for one in found if one)


def _quoted(text: str) -> list[str]:
    return sorted("".join(groups).casefold() for groups in _QUOTED.findall(plain(text)))


def _negated(text: str) -> bool:
    return len(_NOT.findall(_BOUND.sub("", plain(text).casefold()))) % 2 == 1


def _weak(text: str) -> bool:
    return _WEAK.search(plain(text).casefold()) is not None


_SEEN: Mapping[str, Callable[[str], object]] = {
    "numbers": _numbers,
    "quoted words": _quoted,
    "negations": _negated,
    "words of obligation": _weak,
}
