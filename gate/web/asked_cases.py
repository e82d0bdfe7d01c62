"""A case of a run together with the suite of the store that it was asked from."""

from collections.abc import Iterator

from gate.cases.reading import readable
from gate.domain.case import Case
from gate.domain.record import RunRecord
from gate.domain.record_compared import CaseRecord
from gate.domain.record_new import NewCaseRecord
from gate.domain.record_parts import ExamRecord
from gate.inputs import storenames
from gate.report.cases.sidebyside import record_of
from gate.store.sql.suites import Suites


def asked_case(suites: Suites, run: RunRecord, suite: str, case: str) -> CaseRecord | NewCaseRecord | None:
    """A case of a run; None where the run has no such suite or case.

    A record keeps the questions of those cases alone that tell most. The store has the others, if it is the one that
    they were asked from: its version has the same digest.

    Args:
        suites: of the store.
        run: the record.
        suite: its name in the run.
        case: its id.
    """
    kept = record_of(run, suite, case)
    if kept is None or kept.input is not None:
        return kept
    read = next((found for exam in _exams(run, suite) if (found := _stored(suites, exam, case)) is not None), None)
    return kept if read is None else kept.model_copy(update={"input": read.question, "expected": read.expected})


def suite_with(suites: Suites, run: RunRecord, suite: str, case: str) -> str:
    """The suite of the store that has a case of a run, by whatever name: the one that was asked, or one that is called
    like the run's; empty where none has it.
    """
    asked = (storenames.parse(exam.store) for exam in _exams(run, suite))
    names = (*(found.name for found in asked if found is not None), suite)
    return next((name for name in names if suites.case(name, case) or suites.renamed(name, case)), "")


def _exams(run: RunRecord, suite: str) -> Iterator[ExamRecord]:
    yield from (found.exam for found in run.suites if found.name == suite)
    yield from (found.exam for found in run.new if found.name == suite)


def _stored(suites: Suites, exam: ExamRecord, case: str) -> Case | None:
    """The case as it stood in the version that was asked."""
    asked = storenames.parse(exam.store)
    if asked is None or asked.version is None:
        return None
    version = suites.version(asked.name, asked.version)
    if version is None or version.digest != exam.store_digest:
        return None
    for one in suites.case(asked.name, case):
        if one.entry is not None and one.first <= version.number <= (one.last or version.number):
            return readable(one.entry)
    return None
