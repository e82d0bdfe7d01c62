"""Rules that code can check become scorers; every other rule is left to a judge."""

from collections.abc import Iterable

from gate.config.specification import CompiledRule, OutputRule
from gate.testgen.rules.checks import check_scorers, named_rule, refusal_reason
from gate.testgen.rules.plain_forms import plain_scorers


def compile_rule(rule: OutputRule) -> CompiledRule | None:
    """The scorers of a rule (untrusted); None where a judge has to decide.

    A rule has scorers if it has a check that holds, or if its sentence has a plain form. One that is not in the prompt
    has none, until its author has confirmed it.
    """
    if rule.grounding == "ungrounded":
        return None
    scorers, wording = plain_scorers(rule.text)
    if rule.check is not None and not check_refusal(rule):
        scorers, wording = check_scorers(rule.check)
    return named_rule(rule.id, scorers, wording) if scorers else None


def compile_rules(rules: Iterable[OutputRule]) -> tuple[CompiledRule, ...]:
    """Those that code can check, in their order."""
    return tuple(compiled for rule in rules if (compiled := compile_rule(rule)) is not None)


def check_refusal(rule: OutputRule) -> str:
    """Why the check of a rule is not used; empty where it is, or where there is none.

    A check rests on the words of the rule, or on the words of the prompt that state it. A person's check needs no
    examples.
    """
    if rule.check is None:
        return ""
    quote = rule.text if rule.grounding == "edited" else f"{rule.text}\n{rule.evidence}"
    return refusal_reason(rule.check, quote, examples=False)


def compiled_summary(compiled: CompiledRule) -> str:
    """One line that shows a user what is checked, such as `R3 by code: at most 80 words`."""
    return f"{compiled.rule} by code: {compiled.wording}"
