"""A case of a run by what somebody calls it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from gate.domain.record import RunRecord
from gate.domain.record_compared import CaseRecord
from gate.domain.record_new import NewCaseRecord
from gate.errors import GateError
from gate.flows.some_cases import near
from gate.inputs.problems import did_you_mean, quoted


@dataclass(frozen=True, slots=True)
class NamedCase:
    """A case and the suite that asked it."""

    suite: str
    record: CaseRecord | NewCaseRecord

    @property
    def full(self) -> str:
        return f"{self.suite}/{self.record.id}"


def named_case(run: RunRecord, name: str, suite: str = "") -> NamedCase:
    """The one case of a run that a name can mean.

    Args:
        run: a finished run.
        name: an id, `suite/id`, or the beginning of either that no other case shares.
        suite: only cases of this suite; empty for any.

    Raises:
        GateError: no case, no suite or several cases are called so; the hint names the nearest.
    """
    asked = [NamedCase(one.name, case) for one in run.suites for case in one.cases]
    asked += [NamedCase(one.name, case) for one in run.new for case in one.cases]
    if suite:
        _check_suite(run, suite)
        asked = [one for one in asked if one.suite == suite]
    if not asked:
        raise GateError("the run asked no case", "gate report RUN.json tells why")
    found = [one for one in asked if name in (one.record.id, one.full)]
    if not found and name:
        found = [one for one in asked if one.record.id.startswith(name) or one.full.startswith(name)]
    if len(found) == 1:
        return found[0]
    _refuse(name, found, asked)


def _check_suite(run: RunRecord, suite: str) -> None:
    names = [*(one.name for one in run.suites), *(one.name for one in run.new)]
    if suite not in names:
        raise GateError(f"the run has no suite {quoted(suite)}", did_you_mean(suite, names))


def _refuse(name: str, found: Sequence[NamedCase], asked: Sequence[NamedCase]) -> NoReturn:
    if not name:
        raise GateError("no case of the run fell, so say which one", _first(asked))
    if not found:
        ids = list(dict.fromkeys(one.record.id for one in asked))
        hint = near(name, ids).replace("cases of these suites", "cases of the run")
        raise GateError(f"the run has no case {quoted(name)}", hint)
    if len({one.record.id for one in found}) == 1:
        suites = ", ".join(dict.fromkeys(one.suite for one in found))
        hint = f"name it as suite/case; suites: {suites}"
        raise GateError(f"several suites of the run have a case {quoted(found[0].record.id)}", hint)
    raise GateError(f"{len(found)} cases of the run begin with {quoted(name)}", _first(found))


def _first(found: Sequence[NamedCase], shown: int = 5) -> str:
    listed = ", ".join(quoted(one.record.id) for one in found[:shown])
    return f"name one: {listed}{', …' * (len(found) > shown)}"
