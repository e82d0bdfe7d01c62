"""Cases of a finished run: found by name, and saved as entries of an eval set."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn

from gate.cases.case import LENGTH, place_of, shows_turns
from gate.cases.reading import put_of
from gate.cases.stored import CaseWrite, Entry
from gate.config.documents import did_you_mean, quoted
from gate.engine.record_parts import LONGEST_TEXT
from gate.errors import GateError
from gate.messages import shows_image
from gate.record.run import CaseRecord, NewCaseRecord, RunRecord
from gate.record.transcript import Reply, Sample
from gate.resolve.resolved import near
from gate.values import JsonValue


@dataclass(frozen=True, slots=True)
class NamedCase:
    """A case and its suite."""

    suite: str
    record: CaseRecord | NewCaseRecord

    @property
    def full(self) -> str:
        return f"{self.suite}/{self.record.id}"


def named_case(run: RunRecord, name: str, suite: str = "") -> NamedCase:
    """The one case of a run that a name can mean.

    Args:
        name: an id, `suite/id`, or the beginning of either that no other case shares.

    Raises:
        GateError: no such case or suite, or several cases match; the hint names the nearest.
    """
    asked = [NamedCase(one.name, case) for one in run.suites for case in one.cases]
    asked += [NamedCase(one.name, case) for one in run.new for case in one.cases]
    if suite:
        _check_suite(run, suite)
        asked = [one for one in asked if one.suite == suite]
    if not asked:
        raise GateError("the run has no cases", "see gate report RUN.json for the reason")
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
        raise GateError("no case of the run dropped; name a case", _first(asked))
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


_SHORTENED = re.compile(r"… \(\d+ characters\)\Z")
"""The end of a text that was cut for the record."""

Lookup = Callable[[str, str], Entry | None]
"""The entry of a case by its set and its id; None where it is no longer available."""


def found_case(run: RunRecord, name: str, lookup: Lookup, *, said: bool = False) -> dict[str, JsonValue]:
    """The case as it stands in the set it came from, or else as far as the run has it.

    Args:
        name: its id, or `suite/id` where several suites have that id.

    Raises:
        GateError: the run has no such case, or does not hold its whole input.
    """
    case = named_case(run, name).record
    if (known := lookup(place_of(case.where)[0], case.id)) is not None:
        return dict(known)
    if not said and (case.input is None or _SHORTENED.search(case.input)):
        raise GateError(
            f"the run does not hold the whole input of {name}, and {case.where or 'its eval set'} is not here",
            "give it with --input",
        )
    if not said and shows_turns(case.input or ""):
        raise GateError(
            f"the run holds {name} as one text, not turn by turn, and {case.where} is not here",
            "write its turns into a case",
        )
    entry: dict[str, JsonValue] = {"id": case.id, "input": case.input}
    if case.expected is not None:
        entry["expected"] = case.expected
    slices: dict[str, JsonValue] = {key: value for key, value in case.slices.items() if key != LENGTH}
    return {**entry, "slices": slices} if slices else entry


@dataclass(frozen=True, slots=True)
class NewCaseName:
    """The id of the new case in its suite, and a description of where it comes from."""

    id: str
    description: str


def case_of_run(case: CaseRecord | NewCaseRecord, samples: Sequence[Sample], naming: NewCaseName) -> CaseWrite:
    """A new case of a suite, read by the same reader as every case file.

    Raises:
        GateError: the run did not keep the whole question.
        InputErrors: the saved case is invalid, or the id is invalid.
    """
    entry: dict[str, JsonValue] = {"id": naming.id, "description": naming.description, **_case_said(case, samples)}
    if case.expected is not None:
        entry["expected"] = case.expected
    if case.slices:
        entry["slices"] = dict(case.slices)
    return put_of(entry)


def _case_said(case: CaseRecord | NewCaseRecord, samples: Sequence[Sample]) -> Entry:
    """For a conversation everything that the case itself said, otherwise the question."""
    for sample in samples:
        if isinstance(sample.reply, Reply) and (talk := sample.reply.transcript) is not None:
            said = [turn.said for turn in talk.turns if turn.by == "case"]
            if len(said) > 1:
                return {"rounds": [{"prompt": text} for text in said]}
            if said and not shows_image(said[0]):
                return {"input": said[0]}
    hint = "write the case by hand"
    if case.input is None:
        raise GateError("the run did not save the input of this case", hint)
    if shows_turns(case.input):
        raise GateError("the run saved this conversation as one text, not turn by turn", hint)
    if len(case.input) > LONGEST_TEXT:
        raise GateError("the run saved only the beginning of the input: it is too long", hint)
    return {"input": case.input}
