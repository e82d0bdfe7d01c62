"""A generated test as a case of the gate."""

from gate.domain.case import Case, Round
from gate.domain.promptspec import GeneratedTest


def case_of(test: GeneratedTest) -> Case:
    """The case that puts a test's input in.

    Args:
        test: generated.
    """
    rounds = tuple(Round(said) for said in test.turns)
    slices = {"rule": test.rule, "kind": test.kind} if test.rule else {"kind": test.kind}
    return Case(
        id=test.id,
        input=test.input,
        expected=test.expected,
        slices=slices | ({"scenario": test.scenario} if test.scenario else {}),
        vars=test.vars,
        rounds=rounds,
    )
