"""A comparison as a part of the record of a run."""

from gate.domain.record_promises import PromiseRecord, PromisesRecord
from gate.domain.specdiff import RuleChange, SpecDiff


def promises_record(suite: str, diff: SpecDiff, judge: str = "") -> PromisesRecord:
    """What the record holds of a comparison.

    Args:
        suite: whose prompt it is.
        diff: the comparison.
        judge: the model that was to compare wordings, as `provider:name`; it is named where it decided something.
    """
    return PromisesRecord(
        suite=suite,
        unchanged=len(diff.of("unchanged")),
        changes=[_promise(change) for change in diff.rules if change.state != "unchanged"],
        inputs=list(diff.inputs),
        notes=list(diff.notes),
        judge=judge if any(change.judged for change in diff.rules) else "",
    )


def _promise(change: RuleChange) -> PromiseRecord:
    base, head = change.base, change.head
    return PromiseRecord(
        state=change.state,
        rule=(base or change.rule).id,
        before=base.text if base is not None else None,
        after=head.text if head is not None else None,
        evidence=base.evidence if base is not None else "",
        new_evidence=head.evidence if head is not None else "",
        by=change.by,
        reason=change.reason,
        judged=change.judged,
    )
