"""Compiles one sentence, and holds outputs against what came of it."""

from gate.cases.case import Case
from gate.config.specification import CompiledRule, OutputRule
from gate.record.transcript import Unscored
from gate.scoring.interface import Subject
from gate.scoring.panel import validate
from gate.testgen.rules.compiler import compile_rule


def compiled(text: str) -> CompiledRule | None:
    return compile_rule(OutputRule("R1", text))


def understood(text: str) -> CompiledRule:
    found = compiled(text)
    assert found is not None, text
    return found


def kept(text: str, output: str) -> bool:
    """Does the output keep the rule, by its compiled scorers?"""
    values = [validate(spec, Subject(Case("c"), output)).value for spec in understood(text).scorers]
    assert not any(isinstance(value, Unscored) for value in values), (text, output[:80])
    return all(value == 1.0 for value in values)
