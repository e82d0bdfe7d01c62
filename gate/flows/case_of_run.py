"""A case that a run kept becomes an entry of an eval set: its question, what was expected, its slices."""

from collections.abc import Sequence
from dataclasses import dataclass

from gate.cases.reading import put_of
from gate.domain.case import shows_turns
from gate.domain.jsonvalue import JsonValue
from gate.domain.record_compared import CaseRecord
from gate.domain.record_new import NewCaseRecord
from gate.domain.sample import Reply, Sample
from gate.domain.stored_suite import Entry, Put
from gate.errors import GateError
from gate.flows.record_parts import LONGEST_TEXT


@dataclass(frozen=True, slots=True)
class Naming:
    """What the new case is called.

    Args:
        id: in its suite.
        description: from where it comes.
    """

    id: str
    description: str


def case_of_run(case: CaseRecord | NewCaseRecord, samples: Sequence[Sample], naming: Naming) -> Put:
    """A new case of a suite, read by the same reader as every case file.

    Args:
        case: of the record.
        samples: of this case; conversations have the rounds in them.
        naming: of the new one.

    Raises:
        GateError: the run did not keep the whole question.
        InputErrors: what was kept is no case, or the id is none.
    """
    entry: dict[str, JsonValue] = {"id": naming.id, "description": naming.description, **_asked(case, samples)}
    if case.expected is not None:
        entry["expected"] = case.expected
    if case.slices:
        entry["slices"] = dict(case.slices)
    return put_of(entry)


def _asked(case: CaseRecord | NewCaseRecord, samples: Sequence[Sample]) -> Entry:
    """Of a conversation all that the case itself said, else the question."""
    for sample in samples:
        if isinstance(sample.reply, Reply) and (talk := sample.reply.transcript) is not None:
            said = [turn.said for turn in talk.turns if turn.by == "case"]
            if len(said) > 1:
                return {"rounds": [{"prompt": text} for text in said]}
            if said:
                return {"input": said[0]}
    hint = "make the case by hand"
    if case.input is None:
        raise GateError("the run did not keep the question of this case", hint)
    if shows_turns(case.input):
        raise GateError("the run kept this conversation as one text, not turn by turn", hint)
    if len(case.input) > LONGEST_TEXT:
        raise GateError("the run kept the beginning of the question alone: it is too long", hint)
    return {"input": case.input}
