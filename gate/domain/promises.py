"""What a suite wants to know about the promises of its prompt."""

from dataclasses import dataclass

from gate.domain.model import ModelRef, Params
from gate.domain.promptspec import Specification

READING = 7
"""Calls that read a prompt before and after a change, where every reply can be used; a specification spares some."""
TRIED = 10
"""So many new rules get tests at most: whoever changes a prompt decides how many rules it has."""


@dataclass(frozen=True, slots=True)
class Promises:
    """Who reads the prompt before and after a change, and how much is tried.

    Args:
        model: extracts rules and makes tests.
        params: of its requests.
        judge: compares wordings that code cannot compare, and says whether an answer keeps a rule.
        tests: for each rule that is new or stricter, and as many for its inverse; 0 for none.
        specification: of the baseline's prompt, where the base has a file with it; None where it is extracted.
        unable: why none of this can be done; empty where it can.
        judging: parameters of the judge's requests; None as for the model, where it is of the same provider.
    """

    model: ModelRef
    params: Params
    judge: ModelRef
    tests: int = 2
    specification: Specification | None = None
    unable: str = ""
    judging: Params | None = None

    @property
    def judge_params(self) -> Params:
        """Of the judge's requests: what is said for another provider is not said for it."""
        if self.judging is not None:
            return self.judging
        return self.params if self.judge.provider == self.model.provider else Params()
