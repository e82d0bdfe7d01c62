"""Starts the functions that score, one process for each function and side, and ends them with the run."""

from collections.abc import AsyncIterator, Iterable
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gate.bootstrap.seal import Seal
from gate.bootstrap.worktrees import laid_out, refuse_untrusted
from gate.config.functions import PREFIX, Entry, entry_of
from gate.config.scorerspec import ScorerSpec
from gate.config.targets import runs_code
from gate.domain.code_place import CodePlace
from gate.domain.suite import Exam
from gate.errors import GateError
from gate.flows.resolved import Resolved
from gate.flows.scorer_code import coded
from gate.inputs.builders import CannotLoad
from gate.scoring.port import CodeScorer
from gate.settings.surroundings import Surroundings

if TYPE_CHECKING:
    from gate.python.scorer import ScoringProcess

MOST_FUNCTIONS = 20
"""Of one run: each is a process that stays."""
_INSTALL = "it runs in the gate's own environment, where what it imports must be installed, and sees no variables"

_Key = tuple[CodePlace, Entry]


@dataclass(frozen=True, slots=True)
class Coders:
    """The functions of a run.

    Args:
        processes: by where the code lies and what it is.
    """

    processes: "dict[_Key, ScoringProcess]" = field(default_factory=dict)

    def scorer(self, spec: ScorerSpec, exam: Exam) -> CodeScorer:
        """What calls the function of a scorer.

        Args:
            spec: a scorer that is code.
            exam: which it belongs to.

        Raises:
            GateError: nothing was started for it.
        """
        from gate.python.scorer import FunctionScorer

        place, entry = exam.code, _entry(spec)
        if place is None or (place, entry) not in self.processes:
            raise GateError(f"{entry} is code, and nothing here runs it", "score by another validator")
        return FunctionScorer(spec, self.processes[place, entry])


@asynccontextmanager
async def coding(resolved: Resolved, here: Surroundings | None = None) -> AsyncIterator[Coders]:
    """The functions that score in a run, imported, for as long as it lasts.

    Args:
        resolved: what is evaluated.
        here: what started this process; read from the environment when None.

    Raises:
        GateError: no code may run here, a function cannot be had, or there are too many of them.
        CannotEvaluate: the files of a commit, or a process, cannot be had.
    """
    wanted = dict.fromkeys(_wanted(_exams(resolved)))
    if not wanted:
        yield Coders()
        return
    here = here or Surroundings.from_environ()
    refuse_untrusted(here, str(next(iter(wanted))[1]), "a validator that is no code")
    if len(wanted) > MOST_FUNCTIONS:
        hint = "let one function look at the case, and decide what to check"
        raise GateError(f"{len(wanted):,} functions score, and a run may have {MOST_FUNCTIONS}", hint)
    from gate.python.process import Worktree
    from gate.python.scorer import ScoringProcess  # few scorers are code

    coders = Coders()
    beside = any(runs_code(arm.target) for suite in resolved.suites for arm in suite.arms.values())
    # Each has files of its own: what one writes into them, no other one reads. Agents beside it could write there.
    with ExitStack() as folders:
        try:
            for place, entry in wanted:
                laid = folders.enter_context(laid_out(place))
                worktree = Worktree(laid.root, place.checkout, laid.scratch, here.path)
                process = ScoringProcess(entry, worktree)
                if beside and laid.written is not None:
                    process.tampered = Seal.of(laid.written, place.label).broken
                coders.processes[place, entry] = process
                try:
                    await process.start()
                except CannotLoad as error:
                    raise GateError(f"{error.message} (at {place.label})", error.hint or _INSTALL) from None
            yield coders
        finally:
            for process in coders.processes.values():
                await process.close()


def _exams(resolved: Resolved) -> Iterable[Exam]:
    yield from (suite.exam for suite in resolved.suites)
    for trial in (trial for edit in resolved.edits for trial in edit.trials if not trial.reason):
        yield trial.suite.exam
        if trial.answers is not None:
            yield trial.answers.exam


def _wanted(exams: Iterable[Exam]) -> Iterable[_Key]:
    return ((exam.code, _entry(spec)) for exam in exams if exam.code is not None for spec in coded(exam))


def _entry(spec: ScorerSpec) -> Entry:
    return entry_of(PREFIX + spec.function)
