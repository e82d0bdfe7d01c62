"""Which promises a change of a prompt adds, drops, loosens and tightens."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from gate.config.specification import OutputRule
from gate.values import RecordPart

Relation: TypeAlias = Literal["unchanged", "reworded", "tightened", "loosened", "changed", "unknown"]
"""How a rule of the baseline lives on in the candidate. `tightened`: fewer outputs keep it; `loosened`: more do;
`changed`: some that kept it no longer do, and the other way round; `unknown`: nobody could tell."""

ChangeState: TypeAlias = Literal[Relation, "added", "removed"]

AlignedBy: TypeAlias = Literal["id", "evidence", "wording", "code", "meaning", ""]
"""How two rules were found to be one: `code` counts or looks for the same thing in both, and a judge finds the same
meaning; empty where there is only one."""

InputState: TypeAlias = Literal["added", "removed", "changed"]

INTENDED: Collection[ChangeState] = ("removed", "loosened", "changed", "unknown")
"""A promise is given up, or nobody can say that it is not: its author is asked whether that was meant."""
TO_TEST: Collection[ChangeState] = ("added", "tightened", "changed")
"""A promise is new, so that no earlier test can know it."""
QUIET: Collection[ChangeState] = ("unchanged", "reworded")


@dataclass(frozen=True, slots=True)
class RuleChange:
    """What became of one rule.

    Args:
        state: what.
        base, head: the rule before and after; at least one is there. An unchanged rule may have been read from one
            version alone, where the prompt says the same in both.
        by: how the two were found to be one.
        reason: why, in a sentence; a judge's own words where one was asked. Empty where nothing needs saying.
        judged: a model decided, and no code.
    """

    state: ChangeState
    base: OutputRule | None
    head: OutputRule | None
    by: AlignedBy = ""
    reason: str = ""
    judged: bool = False

    @property
    def rule(self) -> OutputRule:
        """The rule as it is now, or as it last was."""
        found = self.head or self.base
        if found is None:
            raise ValueError("a change of no rule")
        return found


class InputChange(RecordPart):
    """What became of one component of the input.

    Args:
        state: what.
        component: its name; the candidate's where both versions have it.
        before, after: what is said of it, or the rules that differ; empty where it is not there.
    """

    state: InputState
    component: str
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class SpecDiff:
    """How the promises of two versions of a prompt differ; without any arguments, not at all.

    Args:
        rules: the baseline's in their order, then those that are new.
        inputs: of the input specification.
        notes: what could not be done, in sentences.
    """

    rules: tuple[RuleChange, ...] = ()
    inputs: tuple[InputChange, ...] = ()
    notes: tuple[str, ...] = ()

    def of(self, *states: ChangeState) -> tuple[RuleChange, ...]:
        """The changes of some states, in their order."""
        return tuple(change for change in self.rules if change.state in states)

    @property
    def empty(self) -> bool:
        """No promise differs, as far as anybody knows."""
        return not self.inputs and all(change.state in QUIET for change in self.rules)


@dataclass(frozen=True, slots=True)
class UpdatePlan:
    """What has to be done to a specification and its tests, so that they fit the new prompt.

    Args:
        add: rules with ids that are free, which tests are generated for.
        obsolete: ids of rules that no longer hold as they are written; their tests are obsolete with them.
        moved: rules that live on under their id and wording, with the words of the new prompt as their evidence.
        open: ids that a person has to decide on.
        successors: for rules that ask for something else now, the id of the new rule by that of the old one.
    """

    add: tuple[OutputRule, ...] = ()
    obsolete: tuple[str, ...] = ()
    moved: tuple[OutputRule, ...] = ()
    open: tuple[str, ...] = ()
    successors: Mapping[str, str] = field(default_factory=dict)

    @property
    def empty(self) -> bool:
        """There is nothing to do."""
        return not (self.add or self.obsolete or self.moved or self.open)
