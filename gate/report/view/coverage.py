"""What a run looked at: suites, files, and changed texts that no suite tests."""

from collections.abc import Iterable, Iterator

from gate.record.findings.finding import Finding
from gate.record.findings.notes import PromptUntested
from gate.record.run import CoverageRecord
from gate.values import counted


def coverage_sentence(coverage: CoverageRecord | None) -> str:
    """Suites and files that were looked at; empty where no two refs were compared."""
    if coverage is None:
        return ""
    found = f"{counted(coverage.suites, 'suite')} found in {counted(coverage.files, 'file')}"
    return f"{found}: {coverage.compared:,} compared, {coverage.same:,} the same."


def coverage_lines(coverage: CoverageRecord | None, findings: Iterable[Finding]) -> Iterator[str]:
    """That sentence, and the changed texts that look like prompts and that no suite tests."""
    if coverage is not None:
        yield coverage_sentence(coverage)
    yield from (finding.text for finding in findings if isinstance(finding, PromptUntested))
