"""Rules that code can check become scorers; every other rule is left to a judge."""

import re
from collections.abc import Iterable

from gate.domain.case import ScorerSpec
from gate.domain.promptspec import CompiledRule, OutputRule
from gate.testgen.compile.check import Checks, Form
from gate.testgen.compile.choice import choice
from gate.testgen.compile.clause import Clause
from gate.testgen.compile.demands import demands, halves
from gate.testgen.compile.edges import edges
from gate.testgen.compile.jsonshape import json_shape
from gate.testgen.compile.language import language
from gate.testgen.compile.lengths import length
from gate.testgen.compile.lists import whole_list
from gate.testgen.compile.marks import mark
from gate.testgen.compile.notation import notation
from gate.testgen.compile.phrases import phrases
from gate.testgen.compile.subjects import PRODUCT
from gate.testgen.compile.text import Sentence, sentence, sentences
from gate.testgen.compile.things import count, each

FORMS: tuple[Form, ...] = (
    length,
    mark,
    count,
    whole_list,
    each,
    json_shape,
    language,
    choice,
    edges,
    notation,
    phrases,
)
DEMANDS = 3
"""In one rule, at most."""
_NAMED = re.compile(rf"\b(?:(?:the|your|this) {PRODUCT}|it)\b", re.IGNORECASE)
_PARTS = re.compile(
    r"\b(?:JSON|keys?|fields?|sections?|headings?|headlines?|titles?|columns?|subjects?)\b", re.IGNORECASE
)


def compile_rule(rule: OutputRule) -> CompiledRule | None:
    """The scorers of a rule, where code can check all that it says.

    A rule is compiled only where its whole sentence is understood. With a condition, a hedge, an exception, a part of
    the output in place of the output, or a second demand that is not understood, it is left alone.

    Args:
        rule: its text is hostile.

    Returns:
        None where a judge has to decide.
    """
    read = sentence(rule.text)
    parts = [_said(part) for part in sentences(read)] if read is not None else []
    checks = tuple(check for part in parts for check in part)
    if not all(parts) or not 1 <= len(checks) <= DEMANDS or _clash(checks):
        return None
    scorers = tuple(
        ScorerSpec(check.kind, rule.id if place == 1 else f"{rule.id}-{place}", check.options, negate=check.negate)
        for place, check in enumerate(checks, 1)
    )
    return CompiledRule(rule.id, scorers, "; ".join(check.told for check in checks))


def compile_rules(rules: Iterable[OutputRule]) -> tuple[CompiledRule, ...]:
    """Those that code can check, in their order.

    Where a rule names parts of the output, what another one says of `the summary` may be about such a part.

    Args:
        rules: of a specification.
    """
    given = tuple(rules)
    parts = [rule for rule in given if _PARTS.search(rule.text)]
    sure = (rule for rule in given if not _NAMED.search(rule.text) or all(other is rule for other in parts))
    return tuple(compiled for compiled in map(compile_rule, sure) if compiled is not None)


def told(compiled: CompiledRule) -> str:
    """One line that shows a user what is checked, such as `R3 by code: at most 80 words`.

    Args:
        compiled: a rule.
    """
    return f"{compiled.rule} by code: {compiled.wording}"


def _said(part: Sentence) -> Checks:
    """By the first way to read a sentence that is understood to its end."""
    return next(filter(None, (_understood(clause, DEMANDS) for clause in demands(part))), ())


def _clash(checks: Checks) -> bool:
    """An output cannot be in two languages at once, nor two texts: the sentence means something else."""
    return any(
        [check.kind for check in checks].count(kind) > 1 for kind in ("language", "exact", "json", "json_schema")
    )


def _understood(clause: Clause, most: int) -> Checks:
    for form in FORMS:
        if checks := form(clause):
            return checks
    if most == 1:
        return ()
    for left, right in halves(clause):
        first = _understood(left, 1)
        rest = _understood(right, most - 1) if first else ()
        if rest and not _clash(first + rest):
            return first + rest
    return ()
