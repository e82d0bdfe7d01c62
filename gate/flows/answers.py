"""Who answers and judges must not be the change's own doing: no recorded answers, no other model in the same file."""

from collections.abc import Iterator

from gate.domain.model import ModelRef
from gate.domain.suite import Suite
from gate.flows.pairing import Pair, Sides
from gate.inputs.models import parse_model
from gate.inputs.paths import escapes, normal

MADE_UP = ("replay", "fake")
_FROM_FILES = ("replay", "local")
_LINK = "120000:"


def made_up(pair: Pair) -> str:
    """What is wrong with the candidate's model where the change itself would answer; empty where nothing is."""
    model = pair.current.model
    if model is None or model == pair.exam.model or model.provider not in MADE_UP:
        return ""
    return f"suite {pair.current.name}: the change answers with {model}, which is no model"


def replaced(sides: Sides, suite: Suite) -> list[str]:
    """Files of models and recordings that the base's suite answers or judges with, and that the change replaces.

    They are read from the working tree, so what the change puts there would answer for both arms, or judge them.

    Args:
        sides: two commits; a working tree is its owner's own, and nothing is replaced there.
        suite: the suite.
    """
    if sides.head.sha is None:
        return []
    models = dict.fromkeys([suite.baseline.model, *_judges(suite)])
    paths = [normal(model.name) for model in models if model.provider in _FROM_FILES and not escapes(model.name)]
    return [path for path in paths if _differs(sides, path)]


def _judges(suite: Suite) -> Iterator[ModelRef]:
    own = (spec for case in suite.exam.cases for spec in case.scorers or ())
    for spec in (*suite.exam.scorers, *own):
        if spec.kind == "judge" and isinstance(spec.options.get("model"), str):
            yield parse_model(str(spec.options["model"]))


def _differs(sides: Sides, path: str) -> bool:
    folders = path.split("/")[:-1]
    ways = ["/".join(folders[: count + 1]) for count in range(len(folders))]
    # A folder that became a link leads to another file of the same name.
    links = [way for way in ways if (sides.head.fingerprint(way) or "").startswith(_LINK)]
    return any(sides.head.fingerprint(one) != sides.base.fingerprint(one) for one in (*links, path))
