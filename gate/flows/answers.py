"""Who answers and judges must not be the change's own doing: no recorded answers, no other model in the same file."""

import posixpath
from collections.abc import Iterable, Iterator

from gate.config.gatefile import Config
from gate.config.scorerspec import ScorerSpec
from gate.domain.model import ModelRef
from gate.domain.suite import Suite
from gate.flows.pairing import Pair, Sides
from gate.inputs.models import parse_model
from gate.inputs.paths import complaint, escapes

MADE_UP = ("replay", "fake")
_FROM_FILES = ("replay", "local")
_LINK = "120000:"


def refused(pair: Pair, base: Config | None) -> str:
    """What is wrong with the candidate's model; empty where nothing is.

    Args:
        pair: the suite.
        base: the base's configuration; a first adoption has none, and may try the gate with anything.
    """
    model = pair.current.model
    if model is None or base is None or model in {suite.model for suite in base.suites}:
        return ""
    if model.provider in MADE_UP:
        return f"suite {pair.current.name}: the change answers with {model}, which is no model"
    if model.provider == "local" and (reason := complaint(model.name)):
        return f"suite {pair.current.name}: the path of the model {model} {reason}"
    return ""


def of_config(pair: Pair) -> Iterator[ModelRef]:
    """The models that answer and judge, as far as the configuration names them."""
    yield from (model for model in (pair.exam.model, pair.current.model) if model is not None)
    yield from _judges(pair.exam.scorers)


def of_suite(suite: Suite) -> Iterator[ModelRef]:
    """The models that answer and judge."""
    yield from (arm.model for arm in suite.arms.values())
    yield from _judges(suite.exam.all_scorers())


def unfit(sides: Sides, suite: Suite, base: Config | None) -> str:
    """Why the judges of an exam that the change has edited must not be asked; empty where they may.

    A file may be any file of the machine, so it is the base's to name.

    Args:
        sides: where files of models are looked up.
        suite: with scorers, or cases, of the change.
        base: the base's configuration.
    """
    if base is None:
        return ""
    scorers = [spec for suite in base.suites for spec in suite.scorers]
    known = {*(suite.model for suite in base.suites), *_judges(scorers)}
    for spec in suite.exam.all_scorers():
        for model in _judges([spec]):
            if model.provider in (*MADE_UP, *_FROM_FILES) and model not in known:
                return f"the change names the judge {model}, which the merge target does not know"
    paths = replaced(sides, of_suite(suite))
    return f"the change replaces {paths[0]}, which answers or judges" if paths else ""


def replaced(sides: Sides, models: Iterable[ModelRef]) -> list[str]:
    """Files of models and recordings that the change brings or replaces, or that lie behind links.

    They are read from the working tree, so what the change puts there would answer for both arms, or judge them.

    Args:
        sides: two commits; a working tree is its owner's own, and nothing is replaced there.
        models: who answers and judges.
    """
    if sides.head.sha is None:
        return []
    named = dict.fromkeys(posixpath.normpath(model.name) for model in models if model.provider in _FROM_FILES)
    return [path for path in named if not escapes(path) and _differs(sides, path)]


def _judges(scorers: Iterable[ScorerSpec]) -> Iterator[ModelRef]:
    yield from (parse_model(name) for spec in scorers for name in spec.models)


def _differs(sides: Sides, path: str) -> bool:
    parts = path.split("/")
    ways = ["/".join(parts[: count + 1]) for count in range(len(parts))]
    found = [source.fingerprint(way) or "" for source in (sides.base, sides.head) for way in ways]
    linked = any(fingerprint.startswith(_LINK) for fingerprint in found)
    return linked or sides.head.fingerprint(path) != sides.base.fingerprint(path)
