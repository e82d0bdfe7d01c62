"""What a case of a store may reach: no more than its suite in gate.yaml names.

Whoever writes cases need not be somebody who may change the repository, whose code and keys a run has.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from gate.config.gatefile import SuiteConfig
from gate.config.scorerspec import ScorerSpec
from gate.domain.case import Case
from gate.errors import Problem
from gate.inputs.problems import Problems, quoted


@dataclass(frozen=True, slots=True)
class Reach:
    """What a scorer needs beside a case and the answers to it.

    Args:
        key: to compare with what others need.
        told: for readers, behind the scorer's name.
    """

    key: tuple[str, ...]
    told: str = field(compare=False)


def reaches(spec: ScorerSpec) -> Iterator[Reach]:
    """Code, a look into a database, or models; the model that answers is left out.

    What a scorer expects to find, its criteria and its threshold are no part of that.

    Args:
        spec: as a file names it.
    """
    if spec.coded:
        yield Reach(("code", spec.function), f"runs the function {quoted(spec.function)}")
    if spec.lookup:
        yield Reach(("database", spec.lookup), f"looks into the database of {quoted(str(spec.options.get('url')))}")
    for model in spec.models:
        yield Reach(("model", model), f"asks the model {quoted(model)}")


def own_reaches(case: Case) -> Iterator[tuple[ScorerSpec, Reach]]:
    """What the scorers reach that a case brings."""
    own = (*(case.scorers or ()), *case.extra_scorers, *case.round_scorers)
    return ((spec, reach) for spec in own for reach in reaches(spec))


def strange(cases: Sequence[Case], suite: SuiteConfig, label: str) -> tuple[Problem, ...]:
    """Every scorer of cases of a store that reaches further than its suite.

    Args:
        cases: of the store.
        suite: as the configuration that counts for them names it.
        label: of the suite in the store.
    """
    known, problems = _known(suite), Problems(label)
    for case in cases:
        for spec, reach in own_reaches(case):
            if reach not in known:
                said = f"case {quoted(case.id)}: its scorer {quoted(spec.name)} {reach.told}"
                hint = f"name that in a scorer of suite {suite.name} in gate.yaml, or take it out of the case"
                problems.add(0, f"{said}, which cases of a store may not", hint)
    return problems.found


def _known(suite: SuiteConfig) -> set[Reach]:
    own = Reach(("model", str(suite.model)), "")
    return {own} | {reach for spec in suite.scorers for reach in reaches(spec)}
