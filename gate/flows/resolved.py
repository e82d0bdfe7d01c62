"""What there is to evaluate: suites, whose exam they sit, and what a reader should know about how that was found."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gate.config.policy import Budget, CachePolicy, RunPolicy
from gate.config.scorerspec import ScorerSpec
from gate.domain.deletion import Deletion
from gate.domain.model import ModelRef, Params, ProviderServer
from gate.domain.suite import Suite
from gate.flows.edited_values import Edit
from gate.flows.exam import ExamChanges
from gate.flows.exam_edits import ExamEdit


@dataclass(frozen=True, slots=True)
class Resolved:
    """What there is to evaluate.

    Args:
        suites: suites that the change touches, or all of them when asked for.
        changes: exam changes of each suite, by its name.
        untouched: names of the suites that were left out.
        notes: sentences for the reader about how the exam was found.
        policy, budget, cache: for the whole run, from the ref that the exam comes from.
        commit: the candidate's commit, where there is one.
        config: path of `gate.yaml` in the repository; empty where there is none.
        deleted: prompts that the base examines and that are gone.
        edits: what the change does to its own exam, suite by suite, those without a changed prompt among them.
        run_edits: what it does to the policy, the budget and the cache of the run: `policy.confidence`.
        adoption: the base has no configuration, so that all of the exam is the change's own.
        base_models: provider and name of each model that the base asks.
        judges: scorers that are asked beside the suites.
        models: that are asked beside both.
        servers: that `providers:` names, by name.
    """

    suites: tuple[Suite, ...]
    changes: dict[str, ExamChanges]
    untouched: tuple[str, ...]
    notes: tuple[str, ...]
    policy: RunPolicy
    budget: Budget
    commit: str | None
    config: str = ""
    cache: CachePolicy = CachePolicy()
    deleted: tuple[Deletion, ...] = ()
    edits: tuple[ExamEdit, ...] = ()
    run_edits: tuple[Edit, ...] = ()
    adoption: bool = False
    base_models: frozenset[tuple[str, str]] = frozenset()
    judges: tuple[ScorerSpec, ...] = ()
    models: tuple[tuple[ModelRef, Params], ...] = ()
    servers: Mapping[str, ProviderServer] = field(default_factory=dict)

    @property
    def asked(self) -> tuple[Suite, ...]:
        """Everything that models are asked for, the exams that are only tried among it."""
        return (*self.suites, *(trial.suite for edit in self.edits for trial in edit.trials))

    @property
    def touched(self) -> bool:
        """Does the change touch anything: a prompt, or the exam?"""
        return bool(self.suites or self.edits or self.run_edits)
