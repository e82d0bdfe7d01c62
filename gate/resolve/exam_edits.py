"""How a change edits its own exam, and which of the edits are tried beside the exam that counts."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from gate.cases.case import Case
from gate.config.gatefile import SuiteConfig
from gate.config.policy import SuitePolicy
from gate.config.scorer import ScorerSpec
from gate.config.targets import Conversing
from gate.record.run import TrialKind
from gate.resolve.exam import Edit, ExamChanges, JudgeDefault, Rules, build, differing, edit, unplayed
from gate.resolve.pairing import Pair
from gate.resolve.scorer_code import untried
from gate.suite import Arm, Exam, Suite

FEWEST_TRIED = 100
"""Cases of a change that are tried even if the exam that counts has fewer; else at most as many as it has."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One part of the edited exam, tried after the verdict.

    Args:
        kind: see `gate.record.run.ExamTrialRecord`.
        suite: the cases and their scorers.
        answers: what is asked; None where the run has the answers, which are only scored again.
        left_out: cases beyond the limit.
        reason: why it is not tried; empty where it is.
    """

    kind: TrialKind
    suite: Suite
    answers: Suite | None
    left_out: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ExamEdit:
    """The change's edits of the exam of one suite.

    Args:
        rules: edits beside cases: `policy.margin`, `scorers.judge`, `conversation.score`, `placeholders.today`,
            `threshold`, `slices`, `samples`, `suite`.
        changes: ids of cases.
        trials: the parts that are tried.
    """

    suite: str
    rules: tuple[Edit, ...]
    changes: ExamChanges
    trials: tuple[Trial, ...] = ()


def rules_edited(pair: Pair) -> tuple[Edit, ...]:
    """The change's edits of a suite's exam, cases aside; nothing where the exam is its own."""
    if pair.own_exam:
        return ()
    if pair.left_out:
        return (Edit("suite"),)
    old, new = pair.exam, pair.current
    scorers = _scorers(old.scorers, new.scorers)
    pairs = ((name, getattr(old, name), getattr(new, name)) for name in ("threshold", "slices", "samples"))
    plain = [edit(name, before, after) for name, before, after in pairs if before != after]
    led = (
        *_led(old.conversing, new.conversing),
        *_edits("placeholders", old.placeholders or {}, new.placeholders or {}),
    )
    return (*differing(old.policy, new.policy, "policy."), *scorers, *led, *plain)


def _led(old: Conversing, new: Conversing) -> list[Edit]:
    """Edits of how conversations are led; the model that talks with an agent appears by its name only."""
    settings = [
        {
            "score": one.score,
            "max_followups": one.max_followups,
            "followups": one.followups.model and str(one.followups.model),
            "user": one.user.model and str(one.user.model),
        }
        for one in (old, new)
    ]
    found = _edits("conversation", *settings)
    params = (old.followups.params, old.user.params) != (new.followups.params, new.user.params)
    return [*found, Edit("conversation.params")] if params else found


def _edits(kind: str, old: Mapping[str, object], new: Mapping[str, object]) -> list[Edit]:
    names = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    return [edit(f"{kind}.{name}", old.get(name), new.get(name)) for name in names]


def _scorers(old: Sequence[ScorerSpec], new: Sequence[ScorerSpec]) -> list[Edit]:
    before, after = ({spec.name: spec for spec in specs} for specs in (old, new))
    names = [name for name in dict.fromkeys((*before, *after)) if before.get(name) != after.get(name)]
    # The order of the scorers is no content of theirs, yet a comparison of configurations sees it.
    return [Edit(f"scorers.{name}") for name in names] or ([Edit("scorers")] if tuple(old) != tuple(new) else [])


@dataclass(frozen=True, slots=True)
class Edited:
    """One suite, and the change's edits of its exam.

    Args:
        suite: with the exam that counts.
        cases: the head's.
        label: of the head.
        judge: for judges that name no model: the exam's, whoever wrote the judge.
        compared: a prompt, a model or parameters differ, so that both arms have answers.
    """

    pair: Pair
    suite: Suite
    changes: ExamChanges
    cases: Sequence[Case]
    label: str
    judge: JudgeDefault
    compared: bool


def edit_of(edited: Edited, taken: set[str], unfit: Callable[[Suite], str]) -> ExamEdit | None:
    """The change's edits, and the trials of them; None where there are none that no other pair reports.

    Args:
        taken: names of suites; those of the trials are added.
        unfit: why a suite's judges must not be asked; empty where they may.

    Raises:
        InputErrors: invalid scorers or cases of the change.
    """
    rules = rules_edited(edited.pair)
    if edited.pair.other or (not rules and not edited.changes):
        return None
    trials: list[Trial] = []
    # A prompt that stands alone has no baseline to try anything with.
    if edited.suite.baseline is not None and not edited.pair.left_out:
        trials = [*_cases(edited, taken), *_rescored(edited, rules)]
    exam = edited.suite.exam
    why = ((one, one.reason or _alone(one.suite) or untried(exam, one.suite) or unfit(one.suite)) for one in trials)
    fit = (replace(trial, reason=reason) for trial, reason in why)
    return ExamEdit(edited.suite.name, rules, edited.changes, tuple(fit))


def _alone(suite: Suite) -> str:
    return "the exam that counts has no model that plays a user" if unplayed(suite.exam) else ""


def _cases(edited: Edited, taken: set[str]) -> Iterable[Trial]:
    """The cases of the change, those that it edits first, up to the limit on cost."""
    room = max(FEWEST_TRIED, len(edited.suite.exam.cases))
    exam, known = edited.pair.exam, {case.id: case for case in edited.cases if not case.obsolete}
    kinds: tuple[tuple[TrialKind, tuple[str, ...]], ...]
    kinds = (("edited", edited.changes.edited), ("added", edited.changes.added))
    for kind, all_ids in kinds:
        ids = [key for key in all_ids if key in known]
        kept = ids[:room]
        room -= len(kept)
        if not ids:
            continue
        suite = _trial(edited, [known[key] for key in kept], exam, _free(f"{edited.suite.name} ({kind} cases)", taken))
        yield Trial(kind, suite, suite, len(ids) - len(kept), "" if kept else "the change has too many cases")


def _rescored(edited: Edited, rules: Sequence[Edit]) -> Iterable[Trial]:
    """The answers under the change's scorers; where no prompt changed, one arm is asked for this alone."""
    if not any(rule.name.startswith("scorers") for rule in rules):
        return
    # The name is the suite's: its answers are the same requests, and none is asked twice.
    suite = _trial(edited, edited.suite.exam.cases, edited.pair.current, edited.suite.name)
    if edited.compared:
        yield Trial("scorers", suite, None)
    else:
        yield Trial("rescored", suite, replace(edited.suite, baseline=None, trial=True))


def _trial(edited: Edited, cases: Sequence[Case], scored: SuiteConfig, name: str) -> Suite:
    """A suite for a trial; conversations are led as in the exam that counts."""
    led = edited.suite.exam.conversing, edited.suite.exam.placeholders
    rules = Rules(scored.scorers, (), SuitePolicy(), scored.threshold, *led)
    exam: Exam = build(cases, rules, edited.label, edited.judge)
    baseline: Arm | None = edited.suite.baseline if edited.compared else None
    # Code is that of the exam that counts, whoever else names it.
    exam = replace(exam, code=edited.suite.exam.code)
    return replace(edited.suite, name=name, baseline=baseline, exam=exam, trial=True)


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += " *"
    taken.add(name)
    return name
