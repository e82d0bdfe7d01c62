"""Options of file mode: prompts and cases without a configuration."""

from collections.abc import Mapping, Sequence

from gate.config.models import ModelRef, Params, parse_model
from gate.config.policy import RunPolicy, SuitePolicy
from gate.config.scorer import JUDGED, parse_scorers
from gate.errors import GateError
from gate.resolve.two_files import FileRun
from gate.values import JsonValue

DEFAULT_SAMPLES = 3


def file_mode_run(
    scorers: Sequence[str],
    criteria: str | None,
    model: str | None,
    baseline_model: str | None = None,
    candidate_model: str | None = None,
) -> FileRun:
    """Models, scorers and policy of file mode.

    Args:
        scorers: kinds; empty for the default.
        model: of both arms and of the judge; one arm's own goes before it.

    Raises:
        GateError: no model, or a judge without criteria.
    """
    baseline = _model(baseline_model or model, "--baseline-model")
    candidate = _model(candidate_model or model, "--candidate-model")
    kinds = scorers or (("judge",) if criteria else ("contains",))
    asking = [kind for kind in kinds if kind in JUDGED]
    if asking and not criteria:
        raise GateError("a judge needs criteria", "say what a good answer is: --criteria 'Polite, and names the price'")
    if criteria and not asking:
        raise GateError("--criteria is for a judge", "add --scorer judge, or --scorer pairwise")
    return FileRun(
        baseline_model=baseline,
        candidate_model=candidate,
        params=Params(),
        scorers=parse_scorers([_scorer(kind, criteria) for kind in dict.fromkeys(kinds)], "--scorer"),
        judge=parse_model(model) if model else baseline,
        samples=DEFAULT_SAMPLES,
        policy=RunPolicy(),
        suite_policy=SuitePolicy(),
    )


def _scorer(kind: str, criteria: str | None) -> JsonValue:
    """The scorer as `gate.yaml` would have it."""
    if kind in JUDGED:
        return {kind: {"criteria": criteria}}
    return {"regex": {"pattern": "{{ expected }}"}} if kind == "regex" else kind


def _model(text: str | None, flag: str) -> ModelRef:
    if text is None:
        raise GateError("no model is named", f"add --model openai:NAME (or anthropic:, local:), or {flag}")
    return parse_model(text)


def refuse_options(given: Mapping[str, object], when: str, hint: str) -> None:
    """Raise a GateError for the first option that is given and has no meaning here."""
    for flag, value in given.items():
        if value:
            raise GateError(f"{flag} has no meaning {when}", hint)
