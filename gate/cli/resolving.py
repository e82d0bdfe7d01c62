"""From options that several commands have to what there is to evaluate."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gate.config.policy import RunPolicy, SuitePolicy
from gate.config.scorers import parse_scorers
from gate.config.scorerspec import JUDGED
from gate.domain.jsonvalue import JsonValue
from gate.domain.model import ModelRef, Params
from gate.errors import GateError
from gate.flows.files import FileRun
from gate.flows.resolved import Resolved
from gate.inputs.models import parse_model

DEFAULT_SAMPLES = 3


@dataclass(frozen=True, slots=True)
class FileOptions:
    """How files are evaluated where there is no configuration.

    Args:
        scorers: kinds; empty for the default.
        criteria: what a judge looks for.
        model: of both arms and of the judge.
        baseline_model, candidate_model: of one arm, before `model`.
    """

    scorers: Sequence[str] = ()
    criteria: str | None = None
    model: str | None = None
    baseline_model: str | None = None
    candidate_model: str | None = None


def file_run(options: FileOptions) -> FileRun:
    """Models, scorers and policy of file mode.

    Raises:
        GateError: no model, or a judge without criteria.
    """
    baseline = _model(options.baseline_model or options.model, "--baseline-model")
    candidate = _model(options.candidate_model or options.model, "--candidate-model")
    judge = parse_model(options.model) if options.model else baseline
    kinds = options.scorers or (("judge",) if options.criteria else ("contains",))
    asking = [kind for kind in kinds if kind in JUDGED]
    if asking and not options.criteria:
        raise GateError("a judge needs criteria", "say what a good answer is: --criteria 'Polite, and names the price'")
    if options.criteria and not asking:
        raise GateError("--criteria is for a judge", "add --scorer judge, or --scorer pairwise")
    return FileRun(
        baseline_model=baseline,
        candidate_model=candidate,
        params=Params(),
        scorers=parse_scorers([_scorer(kind, options) for kind in dict.fromkeys(kinds)], "--scorer"),
        judge=judge,
        samples=DEFAULT_SAMPLES,
        policy=RunPolicy(),
        suite_policy=SuitePolicy(),
    )


def _scorer(kind: str, options: FileOptions) -> JsonValue:
    """The scorer as `gate.yaml` would have it."""
    if kind in JUDGED:
        return {kind: {"criteria": options.criteria}}
    return {"regex": {"pattern": "{{ expected }}"}} if kind == "regex" else kind


def _model(text: str | None, flag: str) -> ModelRef:
    if text is None:
        raise GateError("no model is named", f"add --model openai:NAME (or anthropic:, local:), or {flag}")
    return parse_model(text)


def with_samples(resolved: Resolved, samples: int | None) -> Resolved:
    """The same with so many samples of each case; None leaves what the files say."""
    if samples is None:
        return resolved
    return replace(resolved, suites=tuple(replace(suite, samples=samples) for suite in resolved.suites))


def looking(resolved: Resolved, *, early: bool) -> Resolved:
    """The same with or without early stopping: what is asked all at once has nothing to look at on the way."""
    return replace(resolved, policy=resolved.policy.model_copy(update={"early_stop": early}))


def refuse(options: object, when: str, names: dict[str, str], hint: str) -> None:
    """Raise a GateError for the first option that is given and has no meaning here.

    Args:
        options: as typed.
        when: it has no meaning.
        names: attributes, and the options that they come from.
        hint: what else there is.
    """
    for name, flag in names.items():
        if getattr(options, name):
            raise GateError(f"{flag} has no meaning {when}", hint)
