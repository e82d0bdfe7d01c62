"""What a run has to say, for tests that read it."""

from gate.record.run import RunRecord


def texts(run: RunRecord) -> list[str]:
    """The sentences of its findings, the most important first."""
    return [finding.text for finding in run.findings]


def codes(run: RunRecord) -> list[str]:
    """The codes of its findings, the most important first."""
    return [finding.code for finding in run.findings]
