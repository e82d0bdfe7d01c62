"""Advice on how cases that are valid could be better."""

import re
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gate.cases.case import Case
from gate.cases.forms import GoldenTranscript, form_of
from gate.cases.reading import case_of
from gate.cases.stored import Entry
from gate.resolve.trust import own_reaches
from gate.values import JsonValue, digest

EMAIL, PHONE, CARD = "[email]", "[phone]", "[card]"
_EMAIL = re.compile(r"(?<![\w.+-])[\w.%+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[\w-]{1,63}")
_LONG_EMAIL = re.compile(r"[\w.%+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[\w-]{1,63}")
_CARD = re.compile(r"(?<![\d.,-])(?:\d[ -]?){12,18}\d(?![\d-])")
_PHONE = re.compile(r"(?<![\w.,/:-])(?:\+|\()?\d[\d()]?(?:[ ()./-]{0,3}\d){5,16}(?![\w:])")
_GROUPS = re.compile(r"\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}")
_FEWEST, _MOST = 8, 15
"""Digits of a telephone number, with those of its country (ITU-T E.164)."""


def without_emails(text: str) -> str:
    """The text without addresses of e-mail."""
    if "@" not in text:
        return text
    return _LONG_EMAIL.sub(EMAIL, _EMAIL.sub(EMAIL, text))


def without_cards(text: str) -> str:
    """The text without numbers of payment cards: 13 to 19 digits with the right check digit (ISO/IEC 7812)."""
    return _CARD.sub(lambda found: CARD if _is_card(found[0]) else found[0], text)


def without_phones(text: str) -> str:
    """The text without telephone numbers: those with a `+` or a leading 0, and groups of 3, 3 and 4 digits."""
    return _PHONE.sub(lambda found: PHONE if _is_phone(found[0]) else found[0], text)


def _is_card(text: str) -> bool:
    digits = [int(sign) for sign in text if sign.isdecimal()]
    doubled = [2 * digit - 9 * (digit > 4) for digit in digits[-2::-2]]
    return len(set(digits)) > 1 and (sum(doubled) + sum(digits[::-2])) % 10 == 0


def _is_phone(text: str) -> bool:
    digits = "".join(sign for sign in text if sign.isdecimal())
    if not _FEWEST <= len(digits) <= _MOST:
        return False
    # A decimal number begins with a single 0 and a point.
    led = text.startswith(("+", "(0", "00")) or (text.startswith("0") and text[1] not in ".,")
    return led or _GROUPS.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class LintRemark:
    """One piece of advice, without the cases in its message, and the ids of the cases that it is about."""

    message: str
    cases: tuple[str, ...]


def advice(entries: Sequence[Entry], *, stored: bool = False) -> tuple[LintRemark, ...]:
    """What could be better about an eval set; none of it is an error."""
    cases = [case_of(entry) for entry in entries]
    # A transcript has no place for a description.
    describable = [case for case, entry in zip(cases, entries, strict=True) if form_of(entry) is not GoldenTranscript]
    refused = _refused(cases) if stored else ()
    return (*refused, *_twice(cases), *_aimless(cases), *_spellings(cases), *_lonely(cases), *_undescribed(describable))


def _refused(cases: Sequence[Case]) -> Iterator[LintRemark]:
    found: dict[str, list[str]] = defaultdict(list)
    for case in cases:
        for told in dict.fromkeys(reach.told for _, reach in own_reaches(case)):
            found[told].append(case.id)
    for told, names in found.items():
        message = f"its own scorer {told}: the gate will refuse it unless the suite in gate.yaml has the same one"
        yield LintRemark(message, tuple(names))


def _twice(cases: Sequence[Case]) -> Iterator[LintRemark]:
    asked: dict[Hashable, list[str]] = defaultdict(list)
    for case in cases:
        variables: JsonValue = dict(case.vars)
        asked[(case.question, case.facts, repr(case.user), digest(variables))].append(case.id)
    for names in asked.values():
        if len(names) > 1:
            yield LintRemark("the same question occurs more than once, and would count each time", tuple(names))


def _aimless(cases: Sequence[Case]) -> Iterator[LintRemark]:
    found = tuple(case.id for case in cases if not _aims(case))
    if found:
        yield LintRemark(
            "nothing defines a good answer: there is no 'expected', no 'criteria' and no own scorer", found
        )


def _aims(case: Case) -> bool:
    own = case.expected is not None or case.criteria or case.scorers or case.extra_scorers
    return bool(own) or any(one.criteria or one.scorers for one in case.rounds)


def _spellings(cases: Sequence[Case]) -> Iterator[LintRemark]:
    for dimension, values in _slices(cases).items():
        alike: dict[str, list[str]] = defaultdict(list)
        for value in values:
            alike["".join(value.split()).casefold()].append(value)
        for spelt in alike.values():
            if len(spelt) > 1:
                told = " and ".join(repr(value) for value in spelt)
                names = tuple(name for value in spelt for name in values[value])
                yield LintRemark(f"{dimension} is {told}, which are different slices", names)


def _lonely(cases: Sequence[Case]) -> Iterator[LintRemark]:
    for dimension, values in _slices(cases).items():
        for value, names in values.items():
            if len(names) == 1 and len(cases) > 1:
                yield LintRemark(
                    f"the slice {dimension}={value} has only one case, which cannot show a change", tuple(names)
                )


def _undescribed(cases: Sequence[Case]) -> Iterator[LintRemark]:
    found = tuple(case.id for case in cases if not case.description)
    if found:
        yield LintRemark("no 'description' explains its purpose", found)


def _slices(cases: Sequence[Case]) -> Mapping[str, Mapping[str, list[str]]]:
    """By dimension and value, the cases."""
    found: dict[str, dict[str, list[str]]] = {}
    for case in cases:
        for dimension, value in case.slices.items():
            found.setdefault(dimension, {}).setdefault(value, []).append(case.id)
    return found
