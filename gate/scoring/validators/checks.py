"""What a case must give a validator, once its fields are filled in."""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from gate.inputs.languages import language_code
from gate.inputs.patterns import complaint
from gate.scoring.validators.number import wanted_number
from gate.scoring.validators.port import Options, as_text, quote, texts_of

Complaint: TypeAlias = tuple[str, str]
"""What is wrong, as a sentence about `it`; and what to do."""

Check: TypeAlias = Callable[[Options], Iterator[Complaint]]


def complaints(kind: str, options: Options) -> Iterator[Complaint]:
    """Why a validator cannot use what a case gives it.

    Args:
        kind: of the scorer.
        options: with the fields of the case filled in.
    """
    return CHECKS[kind](options) if kind in CHECKS else iter(())


def _pattern(options: Options) -> Iterator[Complaint]:
    if reason := complaint(as_text(options["pattern"])):
        hint = "Python's re syntax; a backslash before a special character takes it literally"
        yield f"its pattern is not a regular expression: {reason}", hint


def _found_everywhere(options: Options) -> Iterator[Complaint]:
    wanted = [text for key in ("value", "any", "all", "none") for text in texts_of(options, key)]
    if not all(text.strip() for text in wanted):
        yield (
            "the text that it looks for is empty, and every answer contains it",
            "give the case an expected text, or use another scorer",
        )


def _words(key: str) -> Check:
    def check(options: Options) -> Iterator[Complaint]:
        if not all(text.strip() for text in texts_of(options, key)):
            yield f"a text under its {key} is empty", "give the case the field, or take it out of the scorer"

    return check


def _number(options: Options) -> Iterator[Complaint]:
    if wanted_number(options) is None:
        hint = "write a number such as 42 or 3.5 (decimal: comma reads 3,5)"
        yield f"its value {quote(as_text(options.get('value')))} is not a number", hint


def _language(options: Options) -> Iterator[Complaint]:
    if language_code(as_text(options["is"])) is None:
        yield f"{quote(as_text(options['is']))} is no language that it knows", "write a code of ISO 639, such as en"


def _reference(options: Options) -> Iterator[Complaint]:
    if not as_text(options["value"]).strip():
        yield "the text that it compares with is empty", "give the case an expected text"


CHECKS: Mapping[str, Check] = {
    "contains": _found_everywhere,
    "regex": _pattern,
    "starts_with": _found_everywhere,
    "ends_with": _found_everywhere,
    "number": _number,
    "forbidden_words": _words("words"),
    "asks": _words("about"),
    "language": _language,
    "similarity": _reference,
}
