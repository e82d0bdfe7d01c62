"""`promises` of a suite: compare what its prompt promises before and after a change."""

from dataclasses import dataclass

from gate.domain.model import ModelRef, Params
from gate.domain.promises import Promises
from gate.inputs.fields import Fields, Range
from gate.inputs.limits import PATH_CHARS
from gate.inputs.models import read_model, read_params
from gate.inputs.paths import complaint, normal
from gate.inputs.problems import quoted

KEYS = ("model", "params", "judge", "tests", "spec")
TESTS = Range(0, 10)
USUAL_TESTS = 2


@dataclass(frozen=True, slots=True)
class PromisesConfig:
    """The entry.

    Args:
        model: who reads the prompts; the suite's own model where None.
        params: of its requests.
        judge: who compares; `model` where None.
        tests: for each new or stricter rule; see `gate.domain.promises.Promises`.
        spec: path of the specification file; empty where there is none.
    """

    model: ModelRef | None = None
    params: Params = Params()
    judge: ModelRef | None = None
    tests: int = USUAL_TESTS
    spec: str = ""


def read_promises(fields: Fields) -> PromisesConfig | None:
    """What a suite says; None where it says nothing.

    Args:
        fields: of the suite.
    """
    if not fields.has("promises"):
        return None
    entry = fields.mapping("promises")
    entry.only(KEYS, meant={"specification": "spec", "judge_model": "judge"})
    return PromisesConfig(
        model=read_model(entry, "model"),
        params=read_params(entry.mapping("params"), Params()),
        judge=read_model(entry, "judge"),
        tests=entry.integer("tests", USUAL_TESTS, TESTS),
        spec=_path(entry) if entry.has("spec") else "",
    )


def completed(wanted: PromisesConfig, model: ModelRef, params: Params) -> Promises:
    """What a suite says, with the suite's own model where it names none; no specification is read.

    Args:
        wanted: the entry.
        model: of the suite.
        params: of that model; its address goes for the same model here, too, unless the entry names one.
    """
    reader, own = wanted.model or model, wanted.params
    if reader == model:
        address = own.base_url or params.base_url
        own = own.model_copy(update={"base_url": address, "chat_template": own.chat_template or params.chat_template})
    return Promises(reader, own, wanted.judge or reader, wanted.tests)


def _path(entry: Fields) -> str:
    text = entry.text("spec", most=PATH_CHARS)
    if reason := complaint(text):
        entry.problems.add(entry.line_of("spec"), f"promises.spec {quoted(text)} {reason}", "name a YAML file")
        return ""
    return normal(text)
