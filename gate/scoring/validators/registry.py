"""The validators by the kinds that gate.yaml names, and the options that a case fills in."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from gate.cases.case import Case
from gate.cases.rendering import fill
from gate.config.documents import printable
from gate.config.json_schema import pattern_complaint
from gate.config.scorer import ScorerSpec
from gate.config.values import language_code
from gate.record.sample import Score
from gate.record.transcript import Unscored
from gate.scoring.interface import Subject
from gate.scoring.validators import asks, json_answers, number, refusal, text
from gate.scoring.validators.interface import Finding, Options, Validator, as_text, quote, texts_of
from gate.scoring.validators.number import wanted_number
from gate.scoring.validators.paraphrases import paraphrases
from gate.scoring.validators.tool_calls import database, tools
from gate.values import JsonValue

_EXPECTED = re.compile(r"\{\{\s*expected\s*\}\}")


def fill_options(options: Mapping[str, JsonValue], case: Case) -> Options:
    """The options of a scorer for one case.

    Texts, and the texts of a list, may hold `{{ expected }}` and other fields. An option that is nothing but
    `{{ expected }}` takes the expected value as it is, a number as a number; as an item of a list it stands for all
    items of an expected list.

    Raises:
        InputErrors: a field that this case does not have.
    """
    return {key: _filled(value, case) for key, value in options.items()}


def _filled(value: JsonValue, case: Case) -> JsonValue:
    if isinstance(value, str):
        return _text(value, case)
    if isinstance(value, list):
        items: list[JsonValue] = []
        for item in value:
            filled = _text(item, case) if isinstance(item, str) else item
            if filled is not item and isinstance(filled, list):
                items.extend(filled)
            else:
                items.append(filled)
        return items
    return value


def _text(text: str, case: Case) -> JsonValue:
    if "{{" not in text:
        return text
    if case.expected is not None and _EXPECTED.fullmatch(text):
        return case.expected
    return fill(text, case)


VALIDATORS: Mapping[str, Validator] = {
    "exact": text.exact,
    "contains": text.contains,
    "regex": text.regex,
    "starts_with": text.starts_with,
    "ends_with": text.ends_with,
    "json": json_answers.json_answer,
    "json_schema": json_answers.json_schema,
    "json_path": json_answers.json_path,
    "number": number.number,
    "words": text.count_words,
    "sentences": text.count_sentences,
    "characters": text.count_characters,
    "forbidden_words": text.forbidden_words,
    "asks": asks.asks,
    "language": text.language,
    "similarity": text.similarity,
    "latency": number.latency,
    "cost": number.cost,
    "refusal": refusal.refusal,
    "paraphrases": paraphrases,
    "tools": tools,
    "database": database,
}

REASON_CHARS = 500
"""Of a validator's reason."""


def validate(spec: ScorerSpec, subject: Subject) -> Score:
    """Score one answer with a validator; the reason names what was looked for.

    Args:
        spec: of a kind in `VALIDATORS`; `{{ expected }}` and other fields of the case are filled in.
    """
    options = fill_options(spec.options, subject.case)
    if spec.kind == "database":
        # A database observation is kept under the name of its scorer.
        options = {**options, "scorer": spec.name}
    return as_score(spec, VALIDATORS[spec.kind](options, subject))


def as_score(spec: ScorerSpec, found: Finding) -> Score:
    """A finding as a score."""
    value, reason = found
    if spec.negate and not isinstance(value, Unscored):
        value, reason = 1.0 - value, f"negated: {reason}"
    return Score(spec.name, value, _line(reason), spec.weight, spec.required)


def _line(reason: str) -> str:
    """On one line and of limited length: it may quote the answer."""
    line = printable(reason[:REASON_CHARS])
    return line if len(line) <= REASON_CHARS and len(reason) <= REASON_CHARS else line[: REASON_CHARS - 1] + "…"


OptionComplaint: TypeAlias = tuple[str, str]
"""What is wrong, as a sentence about `it`; and what to do."""

OptionCheck: TypeAlias = Callable[[Options], Iterator[OptionComplaint]]


def option_complaints(kind: str, options: Options) -> Iterator[OptionComplaint]:
    """Why a validator cannot use a case's options.

    Args:
        options: with the fields of the case filled in.
    """
    return CHECKS[kind](options) if kind in CHECKS else iter(())


def _pattern(options: Options) -> Iterator[OptionComplaint]:
    if reason := pattern_complaint(as_text(options["pattern"])):
        hint = "Python's re syntax; a backslash before a special character takes it literally"
        yield f"its pattern is not a regular expression: {reason}", hint


def _found_everywhere(options: Options) -> Iterator[OptionComplaint]:
    wanted = [text for key in ("value", "any", "all", "none") for text in texts_of(options, key)]
    if not all(text.strip() for text in wanted):
        yield (
            "the text that it looks for is empty, and every answer contains it",
            "give the case an expected text, or use another scorer",
        )


def _words(key: str) -> OptionCheck:
    def check(options: Options) -> Iterator[OptionComplaint]:
        if not all(text.strip() for text in texts_of(options, key)):
            yield f"a text under its {key} is empty", "give the case the field, or take it out of the scorer"

    return check


def _number(options: Options) -> Iterator[OptionComplaint]:
    if wanted_number(options) is None:
        hint = "write a number such as 42 or 3.5 (decimal: comma reads 3,5)"
        yield f"its value {quote(as_text(options.get('value')))} is not a number", hint


def _language(options: Options) -> Iterator[OptionComplaint]:
    if language_code(as_text(options["is"])) is None:
        yield f"{quote(as_text(options['is']))} is no language that it knows", "write a code of ISO 639, such as en"


def _reference(options: Options) -> Iterator[OptionComplaint]:
    if not as_text(options["value"]).strip():
        yield "the text that it compares with is empty", "give the case an expected text"


CHECKS: Mapping[str, OptionCheck] = {
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
