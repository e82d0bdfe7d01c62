"""Rules that code can check become scorers; every other rule is left to a judge."""

import re
from collections.abc import Iterable

from gate.config.scorer import ScorerSpec
from gate.config.specification import CompiledRule, OutputRule
from gate.testgen.rules.counts import count_checks, each_checks, length_checks, list_checks, mark_checks
from gate.testgen.rules.demands import clause_halves, demands_of
from gate.testgen.rules.formats import json_checks, language_checks, notation_checks
from gate.testgen.rules.phrases import choice_checks, edge_checks, phrase_checks
from gate.testgen.rules.sentences import (
    MUST,
    NOT,
    PRODUCT,
    WHOLE,
    Checks,
    Clause,
    Form,
    Sentence,
    read_sentence,
    split_sentences,
)

FORMS: tuple[Form, ...] = (
    length_checks,
    mark_checks,
    count_checks,
    list_checks,
    each_checks,
    json_checks,
    language_checks,
    choice_checks,
    edge_checks,
    notation_checks,
    phrase_checks,
)
MOST_DEMANDS = 3
"""In one rule, at most."""
_NAMED = re.compile(rf"\b(?:(?:the|your|this) (?P<product>{PRODUCT})|it)\b", re.IGNORECASE)
_OF_ALL = frozenset(("words", "sentences", "characters", "language", "forbidden_words"))
"""Kinds of scorers that look at the whole output."""
_MADE = re.compile(r"(?:summari[sz]e|describe|explain|outline|condense|paraphrase|translate) ", re.IGNORECASE)
"""What is made of the input is the output, unless the output holds something else, too."""
_HARMLESS = re.compile(
    r"you are (?:an? |the )?(?:(?!(?:that|who|which|and|to|with|then)\b)[\w'-]+ ?){1,8}\.?|"
    r"(?:always )?be [a-z-]+(?:,? and [a-z-]+)?\.?|"
    rf"(?:do not|don't|never|avoid|no) .+|{WHOLE} (?:{NOT} .+|{MUST} (?:be|sound|remain|stay|read as) "
    r"(?:very |always )?[a-z-]+(?:,? and [a-z-]+)?)\.?",
    re.IGNORECASE,
)
"""Forbids something, says who answers, or describes the whole in an adjective or two: it names no part."""


def compile_rule(rule: OutputRule) -> CompiledRule | None:
    """The scorers of a rule (untrusted), where code can check all that it says; None where a judge has to decide.

    A rule is compiled only if its whole sentence is understood. With a condition, a hedge, an exception, a part of the
    output in place of the output, or a second demand that is not understood, it is left to a judge. So is a rule that
    is not in the prompt, until its author has confirmed it.
    """
    read = read_sentence(rule.text) if rule.grounding != "ungrounded" else None
    parts = [_said(part) for part in split_sentences(read)] if read is not None else []
    checks = tuple(check for part in parts for check in part)
    if not all(parts) or not 1 <= len(checks) <= MOST_DEMANDS or _clash(checks):
        return None
    scorers = tuple(
        ScorerSpec(check.kind, rule.id if place == 1 else f"{rule.id}-{place}", check.options, negate=check.negate)
        for place, check in enumerate(checks, 1)
    )
    return CompiledRule(rule.id, scorers, "; ".join(check.told for check in checks))


def compile_rules(rules: Iterable[OutputRule]) -> tuple[CompiledRule, ...]:
    """Those that code can check, in their order.

    `The summary` may be a part of the output. It is the whole only where no other rule may speak of another part.
    """
    given = tuple(rules)
    found = {rule.id: compile_rule(rule) for rule in given}
    sure = (
        rule
        for rule in given
        if _product(rule) is None
        or all(other is rule or _of_the_same(other, found[other.id], _product(rule)) for other in given)
    )
    return tuple(compiled for rule in sure if (compiled := found[rule.id]) is not None)


def compiled_summary(compiled: CompiledRule) -> str:
    """One line that shows a user what is checked, such as `R3 by code: at most 80 words`."""
    return f"{compiled.rule} by code: {compiled.wording}"


def _product(rule: OutputRule) -> str | None:
    """What a rule calls the output, where that may be a part of it; empty for `it` and what is made of the input."""
    if _MADE.match(rule.text):
        return ""
    named = _NAMED.search(rule.text)
    return None if named is None else (named["product"] or "").lower()


def _of_the_same(rule: OutputRule, compiled: CompiledRule | None, product: str | None) -> bool:
    """Is it certain that a rule speaks of no other part than the one with this name?"""
    if _product(rule) not in (None, "", product):
        return False
    if compiled is not None and all(spec.kind in _OF_ALL for spec in compiled.scorers):
        return True
    return _HARMLESS.fullmatch(rule.text.strip()) is not None


def _said(part: Sentence) -> Checks:
    """By the first reading of a sentence that is understood to its end."""
    return next(filter(None, (_understood(clause, MOST_DEMANDS) for clause in demands_of(part))), ())


def _clash(checks: Checks) -> bool:
    """An output cannot be in two languages, nor be two texts: the sentence means something else."""
    return any(
        [check.kind for check in checks].count(kind) > 1 for kind in ("language", "exact", "json", "json_schema")
    )


def _understood(clause: Clause, most: int) -> Checks:
    for form in FORMS:
        if checks := form(clause):
            return checks
    if most == 1:
        return ()
    for left, right in clause_halves(clause):
        first = _understood(left, 1)
        rest = _understood(right, most - 1) if first else ()
        if rest and not _clash(first + rest):
            return first + rest
    return ()
