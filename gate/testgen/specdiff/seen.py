"""What code sees in the wording of a rule: numbers, bounds, quantifiers, connectives, negations."""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby

from gate.domain.specdiff import Relation
from gate.testgen.specdiff.units import plain

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NAMES = "zero one two three four five six seven eight nine ten eleven twelve".split()
_MORE = {"fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "hundred": 100, "thousand": 1000}
_WORDS = {word: str(number) for number, word in enumerate(_NAMES)} | {word: str(n) for word, n in _MORE.items()}
_QUOTED = re.compile(r"\"([^\"]+)\"|'([^']{2,})'|`([^`]+)`")
_CAPITALS = re.compile(r"\b[A-Z]{2,}\b")
_NOT = re.compile(r"\b(?:not|never|no|none|nor|without|nicht|nie|niemals|kein\w*|ohne)\b|n't\b")
_WEAK = re.compile(r"\b(?:may|might|can|could|should|ideally|preferably|usually|try|sollte\w*|kann|könn\w*)\b")
_BOUNDS: Mapping[str, re.Pattern[str]] = {
    "most": re.compile(
        r"\b(?:at most|up to|maximum|max|höchstens|maximal|bis zu|(?:no|not) (?:more|longer|later|greater|higher) than"
        r"|(?:not|never|n't) (?:to )?(?:exceed\w*|be (?:over|above|longer than|more than))|not (?:over|above))\b"
    ),
    "least": re.compile(
        r"\b(?:at least|minimum|mindestens|(?:no|not) (?:less|fewer|shorter|earlier|lower) than|not (?:under|below))\b"
    ),
    "below": re.compile(r"\b(?:below|under|less than|fewer than|shorter than|lower than|weniger als|unter)\b"),
    "above": re.compile(r"\b(?:above|over|more than|longer than|exceed\w*|greater than|higher than|mehr als|über)\b"),
    "exactly": re.compile(r"\b(?:exactly|precisely|genau)\b"),
}
"""In this order, each looked for in what the others left."""
_UPPER, _LOWER = ("most", "below"), ("least", "above")
_CLASSES: Mapping[str, frozenset[str]] = {
    "all": frozenset("all every each both everything alle jede jeder jedes jeden".split()),
    "any": frozenset("any either anything".split()),
    "some": frozenset("some several few certain most many einige manche".split()),
    "or": frozenset("or oder".split()),
    "and": frozenset("and und".split()),
    "except": frozenset("unless except excepting but außer ausgenommen".split()),
    "if": frozenset("if when whenever where wenn falls".split()),
    "only": frozenset("only solely exclusively nur ausschließlich".split()),
    "always": frozenset("always immer".split()),
    "sometimes": frozenset("sometimes occasionally often usually rarely manchmal gelegentlich".split()),
    "before": frozenset("before vor until".split()),
    "after": frozenset("after nach since".split()),
}
_BINDING = ("all", "only", "always", "and")
_LOOSENING = ("some", "or", "except", "if", "sometimes")
_FILLERS = frozenset("the a an that this is are please also der die das ein eine bitte".split())


def numbers(text: str) -> list[str]:
    """Those in digits and the small ones in words, sorted."""
    words = re.findall(r"[\w.,]+", plain(text).casefold())
    found = [_WORDS.get(word.strip(".,"), "") or "".join(_NUMBER.findall(word)) for word in words]
    return sorted(one for one in found if one)


def grown(before: str, after: str) -> Relation:
    """What another number does to a rule with one bound; `unknown` where code cannot tell.

    Args:
        before, after: the two wordings.
    """
    old, new = bounds(before), bounds(after)
    counts = [_value(found[0]) if len(found) == 1 else None for found in (numbers(before), numbers(after))]
    if old != new or len(old) != 1 or counts[0] is None or counts[1] is None or counts[0] == counts[1]:
        return "unknown"
    if old[0] not in (*_UPPER, *_LOWER):
        return "unknown"
    return "tightened" if (counts[1] < counts[0]) == (old[0] in _UPPER) else "loosened"


def weaker(before: str, after: str) -> str:
    """The first sign that a rule asks for less: what came that loosens, or went that binds; empty without one.

    Args:
        before, after: the two wordings.
    """
    old, new = connectives(before), connectives(after)
    for name in _LOOSENING:
        if new.count(name) > old.count(name):
            return f'"{name}" is new'
    for name in _BINDING:
        if new.count(name) < old.count(name):
            return f'"{name}" is gone'
    if _weak(after) and not _weak(before):
        return "it no longer says must"
    return "a negation is gone" if _negated(before) and not _negated(after) else ""


def only_more(short: str, long: str) -> Sequence[str]:
    """The words that a wording has besides all those of another one in their order; none where it differs otherwise.

    Args:
        short, long: the two wordings.
    """
    own, other = _telling(short), _telling(long)
    more, place = [], 0
    for word in other:
        if place < len(own) and own[place] == word:
            place += 1
        else:
            more.append(word)
    return more if place == len(own) else ()


def bounds(text: str) -> list[str]:
    """The kinds of bounds, such as `most`, sorted."""
    return sorted(_bounded(text)[0])


def connectives(text: str) -> list[str]:
    """Quantifiers and connectives by what they say, sorted; two of one kind in a row count once."""
    words = re.findall(r"\w+", _bounded(text)[1])
    found = (name for word in words for name, known in _CLASSES.items() if word in known)
    return sorted(name for name, _ in groupby(found))


def _bounded(text: str) -> tuple[list[str], str]:
    """The kinds of bounds, and what is said besides them."""
    said, found = plain(text).casefold(), list[str]()
    for name, pattern in _BOUNDS.items():
        said, count = pattern.subn(" ", said)
        found += [name] * count
    return found, said


def _telling(text: str) -> list[str]:
    return [word for word in re.findall(r"\w+", plain(text).casefold()) if word not in _FILLERS]


def _value(number: str) -> float | None:
    try:
        return float(number.replace(",", ""))
    except ValueError:
        return None


def _quoted(text: str) -> list[str]:
    return sorted("".join(groups).casefold() for groups in _QUOTED.findall(plain(text)))


def _capitals(text: str) -> list[str]:
    found = _CAPITALS.findall(plain(text))
    return [] if plain(text).isupper() else found


def _negated(text: str) -> bool:
    return len(_NOT.findall(_bounded(text)[1])) % 2 == 1


def _weak(text: str) -> bool:
    return _WEAK.search(plain(text).casefold()) is not None


SEEN: Mapping[str, Callable[[str], object]] = {
    "numbers": numbers,
    "bounds": bounds,
    "quoted words": _quoted,
    "words in capitals": _capitals,
    "negations": _negated,
    "words of obligation": _weak,
    "quantifiers and connectives": connectives,
}
"""What two wordings of the same have in common."""
