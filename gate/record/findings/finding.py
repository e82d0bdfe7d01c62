"""A finding: one thing that a run has to say, with a code, a severity, typed fields, and the sentence made of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias, TypeVar

from pydantic import computed_field, model_validator

from gate.values import NAMES_SHOWN, JsonValue, RecordPart, and_more

Severity: TypeAlias = Literal["block", "undecided", "hold", "note"]
"""`block`: the change got worse. `undecided`: without an answer there is no verdict. `hold`: a person should look.
`note`: good to know."""


@dataclass(frozen=True, slots=True)
class Code:
    """A name, path, reference or command inside running text."""

    text: str


Text: TypeAlias = tuple[str | Code, ...]
"""Running text; the plain strings are sentences, which a renderer still has to escape."""


def plain(text: Text) -> str:
    """Running text without its marks, and not escaped."""
    return "".join(piece if isinstance(piece, str) else piece.text for piece in text)


def names(items: Sequence[str]) -> Text:
    """`a, b, c and 2 more`, each name as code."""
    pieces: list[str | Code] = []
    for item in items[:NAMES_SHOWN]:
        pieces += [", " if pieces else "", Code(item)]
    return (*pieces, and_more(len(items) - NAMES_SHOWN))


def capitalized(text: Text) -> Text:
    """With a capital letter, unless it begins with a name."""
    first = next((place for place, piece in enumerate(text) if piece), 0)
    if text and isinstance(begin := text[first], str):
        return (*text[:first], begin[:1].upper() + begin[1:], *text[first + 1 :])
    return text


class Finding(RecordPart):
    """One thing that a run has to say.

    The first paragraph of each kind's docstring says what it means; `remedy` what to do, and `settings` which keys
    change it. A kind without a remedy needs no action.
    """

    code: str
    severity: Severity

    remedy: ClassVar[str] = ""
    settings: ClassVar[tuple[str, ...]] = ()

    @property
    def headline(self) -> Text:
        """The fact in one clause, without a full stop."""
        raise NotImplementedError

    @property
    def cause(self) -> str:
        """Words of somebody else, such as a provider, that explain it; they follow the headline and may be long."""
        return ""

    @property
    def more(self) -> Text:
        """Whole sentences that follow the fact."""
        return ()

    @property
    def phrase(self) -> str:
        """The fact and its cause, to stand within a sentence."""
        cause = self.cause.rstrip(" .")
        return plain(self.headline) + (f": {cause}" if cause else "")

    @property
    def sentence(self) -> Text:
        """The fact and its cause as a sentence, and what follows it."""
        cause = self.cause.rstrip(" .")
        more: Text = (" ", *self.more) if self.more else ()
        return (*capitalized(self.headline), *((f": {cause}",) if cause else ()), ".", *more)

    @computed_field
    @property
    def text(self) -> str:
        """The sentence, for people who read the file."""
        return plain(self.sentence)

    @model_validator(mode="before")
    @classmethod
    def _without_text(cls, value: JsonValue) -> JsonValue:
        """The sentence is made of the fields, also where it was read from a file."""
        if isinstance(value, Mapping):
            return {key: item for key, item in value.items() if key != "text"}
        return value


Kind = TypeVar("Kind", bound=Finding)


def distinct(findings: Iterable[Kind]) -> list[Kind]:
    """Each finding once, in their order."""
    kept: list[Kind] = []
    for finding in findings:
        if finding not in kept:
            kept.append(finding)
    return kept
