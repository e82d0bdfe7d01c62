"""The exam of one suite (cases, scorers and policy), the change's edits of it, and the trials of those edits."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from typing import Any, cast

from gate.cases.case import Case, length_edges, members, place_of, with_length
from gate.config.documents import Problems, one_problem, quoted
from gate.config.gatefile import SuiteConfig
from gate.config.models import ModelRef, Params
from gate.config.policy import SuitePolicy
from gate.config.scorer import ScorerSpec
from gate.config.targets import ConversationOptions
from gate.config.validation import FileModel
from gate.limits import SLICES
from gate.messages import Message
from gate.prompts.files import FileSource
from gate.record.findings.finding import Finding
from gate.record.findings.notes import CasesObsolete, DimensionsEmpty
from gate.record.findings.rates import PolicySliceEmpty
from gate.record.run import SettingEdit, SettingKind, TrialKind
from gate.resolve.code import untried
from gate.resolve.pairing import Pair
from gate.suite import Arm, Exam, Suite
from gate.values import FreeNames, JsonValue, digest

LENGTH = "length"
_OF_SOME = frozenset({"rounds", "revival", "facts", "user", "judge_threshold", "obsolete"})
"""Fields that only tests of agents have, and a mark that few cases have."""


@dataclass(frozen=True, slots=True)
class ExamChanges:
    """Case ids that the candidate's side added, removed, edited or marked; the cases that count stay the baseline's.

    Args:
        added, removed: only one side has them.
        edited: both sides have them, and they differ.
        obsolete: they differ only in that the candidate's side marks them as obsolete.
    """

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    obsolete: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.edited or self.obsolete)


@dataclass(frozen=True, slots=True)
class ScoringRules:
    """How cases are scored and judged.

    Args:
        dimensions: slice dimensions to test; None tests every dimension that the cases have, and `length`.
        threshold: the score at which a sample passes; None where each scorer has its own.
        placeholders: replaced in prompts and cases, besides `today`; None if none are set.
    """

    scorers: tuple[ScorerSpec, ...]
    dimensions: tuple[str, ...] | None
    policy: SuitePolicy
    threshold: float | None = None
    conversing: ConversationOptions = ConversationOptions()
    placeholders: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class JudgeDefault:
    """The model for judges that name none: the baseline's, for both arms."""

    model: ModelRef
    params: Params

    def completed(self, spec: ScorerSpec) -> ScorerSpec:
        """The scorer with a model; scorers that are no judges, or that name one, stay as they are."""
        if not spec.judged or spec.models:
            return spec
        template = self.params.chat_template
        own: dict[str, JsonValue] = {"chat_template": template} if template else {}
        given = spec.options.get("params")
        params: JsonValue = {**own, **given} if isinstance(given, dict) else own
        return replace(spec, options={**spec.options, "model": str(self.model), "params": params})


def build(cases: Sequence[Case], rules: ScoringRules, ref: str, judge: JudgeDefault) -> Exam:
    """Make an exam.

    Args:
        cases: parsed; obsolete ones are left out.
        ref: from which they were read.
        judge: the model of judges without their own.

    Raises:
        InputErrors: more slices than one suite may have, or no case that is not obsolete.
    """
    cases, left_out = [case for case in cases if not case.obsolete], len(cases)
    if left_out and not cases:
        message = f"all {left_out:,} cases are obsolete" if left_out > 1 else "its only case is obsolete"
        raise one_problem(ref, 0, message, "add a case that is not obsolete")
    left_out -= len(cases)
    dimensions = rules.dimensions
    if dimensions is None:
        seen = dict.fromkeys(dimension for case in cases for dimension in case.slices)
        dimensions = (*seen, LENGTH) if LENGTH not in seen else tuple(seen)
    if LENGTH in dimensions:
        cases = with_length(cases, length_edges(cases))
    _check_slices(cases, dimensions, listed=rules.dimensions is not None)
    scorers = tuple(judge.completed(spec) for spec in rules.scorers)
    asked = tuple(_completed(case, scorers, judge) for case in cases)
    content: dict[str, JsonValue] = {
        "cases": [_plain(case) for case in asked],
        "scorers": [cast("JsonValue", asdict(spec)) for spec in scorers],
        "dimensions": list(dimensions),
        "policy": rules.policy.model_dump(mode="json"),
        "threshold": rules.threshold,
    }
    if rules.conversing != ConversationOptions():
        content["conversing"] = rules.conversing.model_dump(mode="json")
    if rules.placeholders is not None:
        content["placeholders"] = dict(rules.placeholders)
    exam = Exam(ref, digest(content), asked, scorers, dimensions, rules.policy, rules.threshold)
    return replace(exam, conversing=rules.conversing, placeholders=rules.placeholders, obsolete=left_out)


def with_simulated_users(exam: Exam) -> Exam:
    """The exam, if a model is set to play the simulated users of its cases.

    Raises:
        InputErrors: simulated users without a model, one line for each case.
    """
    alone = cases_without_user_model(exam)
    if alone:
        problems = Problems(place_of(alone[0].where)[0] or "cases")
        for case in alone:
            message = f"the case {quoted(case.id)} has a simulated user, and no model is set to play it"
            hint = "set one in the suite: conversation: {user: {model: openai:gpt-5-mini}}"
            problems.add(place_of(case.where)[1], message, hint)
        problems.check()
    return exam


def with_quotes(exam: Exam, source: FileSource) -> Exam:
    """The exam with the calibrations of its judges; a change cannot add one for its own judge."""
    if not any(spec.judged for spec in exam.scorers):
        return exam
    from gate.resolve.judges import quotes

    return replace(exam, judges=quotes(exam.scorers, source))


def cases_without_user_model(exam: Exam) -> list[Case]:
    """Cases whose simulated user has no model."""
    return [case for case in exam.cases if case.user is not None and exam.conversing.user.model is None]


def exam_notes(suite: Suite) -> Iterator[Finding]:
    """Notes on an exam: obsolete cases, and dimensions and slices of the policy without cases."""
    if count := suite.exam.obsolete:
        yield CasesObsolete(suite=suite.name, count=count)
    dimensions = {name for case in suite.exam.cases for name in case.slices}
    if unknown := [name for name in suite.exam.dimensions if name not in dimensions]:
        yield DimensionsEmpty(suite=suite.name, dimensions=unknown)
    # A typing error in the name of a slice would loosen the gate.
    slices = members(suite.exam.cases, suite.exam.dimensions)
    policy = suite.exam.policy
    if empty := [name for name in dict.fromkeys((*policy.slices, *policy.advisory)) if name not in slices]:
        yield PolicySliceEmpty(severity="note", suite=suite.name, slices=empty)


def _check_slices(cases: Sequence[Case], dimensions: Sequence[str], *, listed: bool) -> None:
    """Refuse more slices than one suite may have; the error names the dimension with the most values."""
    values = {name: len({case.slices[name] for case in cases if name in case.slices}) for name in dimensions}
    total = sum(values.values())
    if total <= SLICES:
        return
    most = max(values, key=lambda name: values[name])
    message = (
        f"these cases have {total:,} slices; the limit of a suite is {SLICES:,}; "
        f"the dimension {quoted(most)} has {values[most]:,} values"
    )
    remedy = (
        f"remove {quoted(most)} from 'slices'"
        if listed
        else f"set other dimensions under 'slices', without {quoted(most)}"
    )
    raise one_problem(place_of(cases[0].where)[0] or "cases", 0, message, remedy)


def changes(base: Sequence[Case], head: Sequence[Case]) -> ExamChanges:
    """How `head`'s cases differ from `base`'s, by id; removing obsolete ones changes nothing."""
    old = {case.id: digest(_plain(case)) for case in base}
    new = {case.id: digest(_plain(case)) for case in head}
    gone = {case.id for case in base if case.obsolete}
    unmarked = {case.id: digest(_plain(replace(case, obsolete=False))) for case in head if case.obsolete}
    differing = [key for key in old if key in new and old[key] != new[key]]
    marked = tuple(key for key in differing if unmarked.get(key) == old[key])
    return ExamChanges(
        added=tuple(key for key in new if key not in old),
        removed=tuple(key for key in old if key not in new and key not in gone),
        edited=tuple(key for key in differing if key not in marked),
        obsolete=marked,
    )


def _plain(case: Case) -> JsonValue:
    # Neither a line number nor what only readers see is content.
    names = (one.name for one in fields(Case) if one.name not in ("where", "description"))
    found = {name: _parts(getattr(case, name)) for name in names}
    # What only some cases have is no part of others.
    kept = {key: value for key, value in found.items() if value or key not in _OF_SOME}
    return cast("JsonValue", kept)


def _parts(value: Any) -> Any:
    """As `asdict`, but JSON values are not copied: exams have many cases, and most are plain."""
    if isinstance(value, tuple):
        return [_parts(one) for one in value]
    if isinstance(value, Message):
        return list(value.told)
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


def _completed(case: Case, scorers: Sequence[ScorerSpec], judge: JudgeDefault) -> Case:
    """The case with a model for each judge, and with a unique name for each scorer."""
    own = None if case.scorers is None else tuple(map(judge.completed, case.scorers))
    names = FreeNames(taken={spec.name for spec in (scorers if own is None else own)})
    extra = (replace(spec, name=names.take(spec.name)) for spec in map(judge.completed, case.extra_scorers))
    return replace(case, scorers=own, extra_scorers=tuple(extra))


LONGEST = 40
"""Characters of a value that is shown; of a longer one only the setting's name is."""

NOT_SET = "not set"


def differing(old: FileModel, new: FileModel, kind: SettingKind, within: str = "") -> list[SettingEdit]:
    """The fields in which two objects of one model differ; `within` stands before their names."""
    after = dict(new)
    return [edit(kind, within + name, (value, after[name])) for name, value in old if value != after[name]]


def edit(kind: SettingKind, name: str, values: tuple[object, object]) -> SettingEdit:
    """One edit, with its values where both are short; None is a setting that is not set."""
    old, new = map(_text, values)
    short = all(0 < len(value) <= LONGEST for value in (old, new))
    return SettingEdit(kind=kind, name=name, old=old, new=new) if short else SettingEdit(kind=kind, name=name)


def _text(value: object) -> str:
    """A word as it is, anything else as JSON; fields of a part that are not set are left out."""
    if value is None:
        return NOT_SET
    return value if isinstance(value, str) else json.dumps(_plain_value(value), ensure_ascii=False)


def _plain_value(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(key): _plain_value(part) for key, part in value.items()}
    if isinstance(value, tuple):
        return [_plain_value(part) for part in value]
    if isinstance(value, FileModel):
        return {name: _plain_value(part) for name, part in value if part is not None}
    return value


FEWEST_TRIED = 100
"""Cases of a change that are tried even if the pinned exam has fewer; else at most as many as it has."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One part of the edited exam, tried after the verdict.

    Args:
        kind: see `gate.record.run.ExamTrialRecord`.
        suite: the cases and their scorers.
        answers: the calls to make; None if the run has the answers, which are only scored again.
        left_out: cases beyond the limit.
        reason: why it is not tried; empty if it is.
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
        rules: edits beside cases; the kind `suite` is the suite itself, which the change drops.
        changes: ids of cases.
        trials: the parts that are tried.
    """

    suite: str
    rules: tuple[SettingEdit, ...]
    changes: ExamChanges
    trials: tuple[Trial, ...] = ()


def rules_edited(pair: Pair) -> tuple[SettingEdit, ...]:
    """The change's edits of a suite's exam, except cases; none if the exam is the change's own."""
    if pair.own_exam:
        return ()
    if pair.left_out:
        return (SettingEdit(kind="suite"),)
    old, new = pair.exam, pair.current
    scorers = _scorers(old.scorers, new.scorers)
    kinds: tuple[SettingKind, ...] = ("threshold", "slices", "samples")
    pairs = ((kind, (getattr(old, kind), getattr(new, kind))) for kind in kinds)
    plain = [edit(kind, "", values) for kind, values in pairs if values[0] != values[1]]
    led = (
        *_led(old.conversing, new.conversing),
        *_edits("placeholders", old.placeholders or {}, new.placeholders or {}),
    )
    return (*differing(old.policy, new.policy, "policy"), *scorers, *led, *plain)


def _led(old: ConversationOptions, new: ConversationOptions) -> list[SettingEdit]:
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
    return [*found, SettingEdit(kind="conversation", name="params")] if params else found


def _edits(kind: SettingKind, old: Mapping[str, object], new: Mapping[str, object]) -> list[SettingEdit]:
    names = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    return [edit(kind, name, (old.get(name), new.get(name))) for name in names]


def _scorers(old: Sequence[ScorerSpec], new: Sequence[ScorerSpec]) -> list[SettingEdit]:
    before, after = ({spec.name: spec for spec in specs} for specs in (old, new))
    names = [name for name in dict.fromkeys((*before, *after)) if before.get(name) != after.get(name)]
    # The order of the scorers is no content of theirs, yet a comparison of configurations sees it.
    return [SettingEdit(kind="scorers", name=name) for name in names] or (
        [SettingEdit(kind="scorers")] if tuple(old) != tuple(new) else []
    )


@dataclass(frozen=True, slots=True)
class SuiteWithEdits:
    """One suite, and the change's edits of its exam.

    Args:
        suite: with the exam that counts.
        cases: the head's.
        label: of the head.
        judge: the model of judges without their own: the pinned exam's, even for judges that the change adds.
        compared: a prompt, a model or parameters differ, so that both arms have answers.
    """

    pair: Pair
    suite: Suite
    changes: ExamChanges
    cases: Sequence[Case]
    label: str
    judge: JudgeDefault
    compared: bool


def edit_of(edited: SuiteWithEdits, taken: set[str], unfit: Callable[[Suite], str]) -> ExamEdit | None:
    """The change's edits, and their trials; None if there are none.

    Args:
        taken: names of suites; those of the trials are added.
        unfit: why a suite's judges must not be called; empty if they may.

    Raises:
        InputErrors: invalid scorers or cases of the change.
    """
    rules = rules_edited(edited.pair)
    if not rules and not edited.changes:
        return None
    trials: list[Trial] = []
    # A new prompt has no baseline to try anything with.
    if edited.suite.baseline is not None and not edited.pair.left_out:
        trials = [*_cases(edited, taken), *_rescored(edited, rules)]
    exam = edited.suite.exam
    why = ((one, one.reason or _alone(one.suite) or untried(exam, one.suite) or unfit(one.suite)) for one in trials)
    fit = (replace(trial, reason=reason) for trial, reason in why)
    return ExamEdit(edited.suite.name, rules, edited.changes, tuple(fit))


def _alone(suite: Suite) -> str:
    return "the evaluated suite has no model to play the user" if cases_without_user_model(suite.exam) else ""


def _cases(edited: SuiteWithEdits, taken: set[str]) -> Iterable[Trial]:
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


def _rescored(edited: SuiteWithEdits, rules: Sequence[SettingEdit]) -> Iterable[Trial]:
    """The answers under the change's scorers; if no prompt changed, one arm is called only for this."""
    if not any(rule.kind == "scorers" for rule in rules):
        return
    # The name is the suite's: its answers are the same requests, so none is sent twice.
    suite = _trial(edited, edited.suite.exam.cases, edited.pair.current, edited.suite.name)
    if edited.compared:
        yield Trial("scorers", suite, None)
    else:
        yield Trial("rescored", suite, replace(edited.suite, baseline=None, trial=True))


def _trial(edited: SuiteWithEdits, cases: Sequence[Case], scored: SuiteConfig, name: str) -> Suite:
    """A suite for a trial; conversations run as in the pinned exam."""
    led = edited.suite.exam.conversing, edited.suite.exam.placeholders
    rules = ScoringRules(scored.scorers, (), SuitePolicy(), scored.threshold, *led)
    exam: Exam = build(cases, rules, edited.label, edited.judge)
    baseline: Arm | None = edited.suite.baseline if edited.compared else None
    # Code is always that of the pinned exam.
    exam = replace(exam, code=edited.suite.exam.code)
    return replace(edited.suite, name=name, baseline=baseline, exam=exam, trial=True)


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += " *"
    taken.add(name)
    return name
