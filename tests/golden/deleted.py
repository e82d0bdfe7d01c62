"""Runs of changes that delete a prompt."""

from datetime import UTC, datetime

from gate.config.policy import Budget, RunPolicy
from gate.engine.without_evaluation import deleted_record
from gate.record.comparison import Verdict
from gate.record.findings.unfinished import PromptDeleted
from gate.record.run import RunRecord
from gate.resolve.resolved import Resolved

TRIAGE = PromptDeleted(prompt="prompts/triage.md", ref="origin/main", cases=120)
OTHERS = (
    TRIAGE,
    PromptDeleted(prompt="prompts/@octocat <b>.md", ref="origin/main", cases=1),
    PromptDeleted(prompt="prompts/old.md", ref="origin/main", cases=None),
)


def with_deletion(passed: RunRecord) -> RunRecord:
    """A harmless rewording beside a deletion."""
    return passed.model_copy(
        update={
            "verdict": Verdict.INCONCLUSIVE,
            "exit_code": 3,
            "findings": [TRIAGE],
        }
    )


def only_deleted() -> RunRecord:
    """Three prompts are gone, and nothing else is touched; with `fail_on: hold`."""
    resolved = Resolved(
        suites=(),
        changes={},
        untouched=("support",),
        notes=(),
        policy=RunPolicy(fail_on="hold"),
        budget=Budget(),
        commit="a81d06c3f2" * 4,
        deleted=OTHERS,
    )
    return deleted_record(resolved, datetime(2026, 11, 20, 9, 30, tzinfo=UTC))
