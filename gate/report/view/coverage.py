"""What a run looked at: suites, files, and changed texts that no suite tests."""

from gate.record.comparison import Verdict
from gate.record.run import CoverageRecord, RunRecord
from gate.report.numbers import Text, counted, listed_code


def coverage_sentence(coverage: CoverageRecord | None) -> str:
    """Suites and files that were looked at; empty where no two refs were compared."""
    if coverage is None:
        return ""
    found = f"{counted(coverage.suites, 'suite')} found in {counted(coverage.files, 'file')}"
    return f"{found}: {coverage.compared:,} compared, {coverage.same:,} the same."


def untested_note(coverage: CoverageRecord | None) -> Text:
    """The changed texts that look like prompts and that no suite tests; empty where there is none."""
    untested = coverage.untested if coverage is not None else []
    if not untested:
        return ()
    looks = "which looks like a prompt" if len(untested) == 1 else "which look like prompts"
    return ("No suite tests ", *listed_code(untested), f", {looks} and changed.")


def coverage_notes(run: RunRecord) -> tuple[Text, ...]:
    """The notes of a report: what no suite tests, and what was compared where nothing is different."""
    sentence = coverage_sentence(run.coverage)
    same: tuple[Text, ...] = ((sentence,),) if run.verdict is Verdict.SKIPPED and sentence else ()
    untested = untested_note(run.coverage)
    return (*same, *((untested,) if untested else ()))
