"""Record types and text generators of the second author's test set.

By a second author who had not seen the compiler, 2026-11-22.
"""

from dataclasses import dataclass
from itertools import cycle, islice

_WORDS = "the parcel left our warehouse on monday and should reach you within two working days if all goes well".split()
_SENTENCES = (
    "Your refund is on its way.",
    "It takes three working days.",
    "You will get an email.",
    "No action is needed.",
    "Thank you for waiting.",
)
_ITEMS = ("Open the lid", "Fill the tank", "Press the button", "Wait for the light", "Close the lid")


@dataclass(frozen=True, slots=True)
class Wording:
    """One wording of a rule that a check of the whole output can decide.

    text: the rule; kind: what it is about; keeps, breaks: outputs that keep it and that break it (two or more each).
    """

    text: str
    kind: str
    keeps: tuple[str, ...]
    breaks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unfit:
    """One wording that no check of the whole output alone can decide.

    text: the rule; reason: why it is unfit; naive: the check that a hasty reader would make of it;
    output: an output that the rule allows (at least in some case) and that the naive check refuses.
    """

    text: str
    reason: str
    naive: str
    output: str


def same(kind: str, keeps: tuple[str, ...], breaks: tuple[str, ...], *texts: str) -> tuple[Wording, ...]:
    """The given texts as wordings of one rule with the same outputs."""
    return tuple(Wording(text, kind, keeps, breaks) for text in texts)


def prose(words: int) -> str:
    """One sentence of that many words, without hyphens, digits or apostrophes."""
    return " ".join(islice(cycle(_WORDS), words)).capitalize() + "."


def characters(count: int) -> str:
    """One sentence of that many characters, its full stop counted; it has no space at either end."""
    return prose(count)[: count - 1].rstrip().ljust(count - 1, "s") + "."


def sentences(count: int) -> str:
    """That many short sentences in one paragraph."""
    return " ".join(islice(cycle(_SENTENCES), count))


def paragraphs(count: int) -> str:
    """That many paragraphs of one sentence, with blank lines between."""
    return "\n\n".join(islice(cycle(_SENTENCES), count))


def lines(count: int) -> str:
    """That many lines of plain text."""
    return "\n".join(islice(cycle(_ITEMS), count))


def bullets(count: int, mark: str = "-") -> str:
    """A list of that many bullets."""
    return "\n".join(f"{mark} {item}" for item in islice(cycle(_ITEMS), count))


def numbered(count: int, mark: str = ".") -> str:
    """A list of that many items, numbered from 1."""
    return "\n".join(f"{number}{mark} {item}" for number, item in enumerate(islice(cycle(_ITEMS), count), 1))
