"""From the options of `gate diff`, and of its neighbours, to what there is to evaluate."""

from dataclasses import replace

from gate.bootstrap.resolving import Here, resolve_files_mode, resolve_git_mode
from gate.cli.diff_options import Compared, DiffOptions, Overrides
from gate.cli.key_values import key_values
from gate.config.scorers import parse_scorers
from gate.domain.case import JUDGED
from gate.domain.jsonvalue import JsonValue
from gate.domain.model import ModelRef
from gate.domain.suite import RunPolicy, SuitePolicy
from gate.domain.words import counted
from gate.errors import GateError
from gate.flows.files import FileRun, Files
from gate.flows.resolved import Resolved
from gate.flows.some_cases import picked
from gate.git.noted import Sightings
from gate.inputs.models import parse_model, parse_params

DEFAULT_SAMPLES = 3


def resolved_by(options: DiffOptions, seen: Sightings | None = None) -> Resolved:
    """What there is to evaluate.

    Args:
        options: as typed.
        seen: notes what is read of what people edit.
    """
    resolved = some(with_options(_resolve(options, seen), options), options.only)
    return resolved if options.early_stop is None else looking(resolved, early=options.early_stop)


def _resolve(options: DiffOptions, seen: Sightings | None) -> Resolved:
    files = {"--baseline": options.baseline, "--candidate": options.candidate, "--cases": options.cases}
    if options.base is not None:
        _refuse(options, "with --base", ("model", "baseline_model", "candidate_model", "judge_model", "criteria"))
        _refuse(options, "with --base", ("baseline", "candidate", "cases", "scorers", "params", "margin"))
        refs = options.base, options.head
        here = Here(seen=seen)
        return resolve_git_mode(refs, options.config, options.suites, everything=options.everything, here=here)
    if not any(files.values()):
        hint = "gate diff --base origin/main, or gate diff --baseline A --candidate B --cases C --model M"
        raise GateError("nothing to compare: name a base ref, or two prompt files and a case file", hint)
    _refuse(options, "without --base", ("head", "suites"))
    absent = [name for name, value in files.items() if not value]
    if absent:
        raise GateError(f"{' and '.join(absent)} missing", "file mode needs --baseline, --candidate and --cases")
    named = Files(str(options.baseline), str(options.candidate), str(options.cases))
    return resolve_files_mode(named, file_run(options), seen)


def _refuse(options: DiffOptions, when: str, names: tuple[str, ...]) -> None:
    for name in names:
        if getattr(options, name):
            flag = "--" + name.replace("_", "-").removesuffix("s" if name in ("scorers", "params", "suites") else "")
            raise GateError(f"{flag} has no meaning {when}", "gate.yaml says it in git mode; see gate diff --help")


def file_run(options: Compared) -> FileRun:
    """How two files are compared.

    Raises:
        GateError: no model, or a judge without criteria.
    """
    baseline = _model(options.baseline_model or options.model, "--baseline-model")
    candidate = _model(options.candidate_model or options.model, "--candidate-model")
    judge = parse_model(options.judge_model) if options.judge_model else baseline
    kinds = options.scorers or (("judge",) if options.criteria else ("contains",))
    asking = [kind for kind in kinds if kind in JUDGED]
    if asking and not options.criteria:
        raise GateError("a judge needs criteria", "say what a good answer is: --criteria 'Polite, and names the price'")
    if options.criteria and not asking:
        raise GateError("--criteria is for a judge", "add --scorer judge, or --scorer pairwise")
    return FileRun(
        baseline_model=baseline,
        candidate_model=candidate,
        params=parse_params(key_values(options.params), "--param"),
        scorers=parse_scorers([_scorer(kind, options) for kind in dict.fromkeys(kinds)], "--scorer"),
        judge=judge,
        samples=DEFAULT_SAMPLES,
        policy=RunPolicy(),
        suite_policy=SuitePolicy(margin=options.margin or 0.0),
    )


def _scorer(kind: str, options: Compared) -> JsonValue:
    """The scorer as `gate.yaml` would have it."""
    if kind in JUDGED:
        return {kind: {"criteria": options.criteria}}
    return {"regex": {"pattern": "{{ expected }}"}} if kind == "regex" else kind


def _model(text: str | None, flag: str) -> ModelRef:
    if text is None:
        raise GateError("no model is named", f"add --model openai:NAME (or anthropic:, local:), or {flag}")
    return parse_model(text)


def with_options(resolved: Resolved, options: Overrides) -> Resolved:
    """What the command line says about the run goes before what the files say."""
    policy = replace(
        resolved.policy,
        method=options.method or resolved.policy.method,
        correction=options.correction or resolved.policy.correction,
        breakage=resolved.policy.breakage if options.breakage is None else options.breakage,
        fail_on=options.fail_on or resolved.policy.fail_on,
    )
    suites = resolved.suites
    if options.samples is not None:
        suites = tuple(replace(suite, samples=options.samples) for suite in suites)
    return replace(resolved, policy=policy, suites=suites)


def some(resolved: Resolved, patterns: tuple[str, ...]) -> Resolved:
    """The same with some of the cases alone, where any are named.

    Raises:
        GateError: a pattern that no case of a touched suite fits.
    """
    if not (patterns and resolved.suites):
        return resolved
    asked = sum(len(suite.exam.cases) for suite in resolved.suites)
    suites = picked(resolved.suites, patterns)
    left = sum(len(suite.exam.cases) for suite in suites)
    note = f"{left} of {counted(asked, 'case')} were asked (--case): a look at them, and no verdict on the change."
    # What the change makes of its exam is told of whole exams.
    return replace(resolved, suites=suites, edits=(), run_edits=(), deleted=(), notes=(*resolved.notes, note))


def looking(resolved: Resolved, *, early: bool) -> Resolved:
    """The same with or without early stopping: what is asked all at once has nothing to look at on the way."""
    return replace(resolved, policy=replace(resolved.policy, early_stop=early))
