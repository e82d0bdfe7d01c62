"""Remarks beside the changed lines of the prompts that a verdict is about."""

from collections.abc import Iterator, Sequence

from gate.domain.passrate import PassState
from gate.domain.record import RunRecord
from gate.domain.record_compared import SuiteRecord
from gate.domain.record_new import NewSuiteRecord
from gate.domain.suite import Suite
from gate.domain.verdict import State, Verdict
from gate.flows.pairing import Sides
from gate.inputs.builders import file_of
from gate.report.differences.changed_lines import Annotation, annotations
from gate.report.slices import fallen

_STATES = (State.REGRESSION, State.SUSPECT)


def marks(run: RunRecord, sides: Sides, suites: Sequence[Suite], folder: str) -> tuple[Annotation, ...]:
    """The changed lines of the prompts, and of the parts that they pull in, by their paths in the repository.

    Args:
        run: finished.
        sides: where the files are read.
        suites: what was evaluated.
        folder: that the paths begin in; empty for the root.
    """
    if run.verdict not in (Verdict.BLOCK, Verdict.HOLD):
        return ()
    said = {suite.name: _fell(suite) for suite in run.suites} | {new.name: _missed(new) for new in run.new}
    found: dict[tuple[str, int, int], Annotation] = {}
    for suite in suites:
        if why := said.get(suite.name, ""):
            for one in _beside(sides, suite, f"{run.verdict.value}: {why}"):
                # A part may belong to several prompts; the first of them is told.
                found.setdefault((one.path, one.first, one.last), one)
    prefix = f"{folder}/" if folder else ""
    return tuple(Annotation(prefix + one.path, one.first, one.last, one.message) for one in found.values())


def _beside(sides: Sides, suite: Suite, message: str) -> Iterator[Annotation]:
    version = suite.candidate.version
    old_path = suite.baseline.version.path if suite.baseline is not None else version.path
    places = file_of(sides.base, old_path), file_of(sides.head, version.path)
    pairs = [(places[0] or old_path, places[1]), *((part.path, part.path) for part in version.prompt.parts.files)]
    for old, new in pairs:
        if new is None:
            continue
        before, after = _text(sides.base.read(old)), _text(sides.head.read(new))
        if before != after:
            yield from annotations(new, before, after, message)


def _text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "replace")


def _fell(suite: SuiteRecord) -> str:
    """What keeps the verdict from being green, worst first; empty where nothing does."""
    rows = [row for row in (suite.quality.overall, *suite.quality.slices) if row.blocking and row.state in _STATES]
    if rows:
        worst = min(rows, key=lambda row: (_STATES.index(row.state), row.upper if row.upper is not None else 0.0))
        return fallen(worst, worst.slice)
    risen = [axis.axis for axis in (suite.cost, suite.latency) if axis.exceeded]
    return f"{suite.name}: {' and '.join(risen)} beyond the allowance" if risen else ""


def _missed(new: NewSuiteRecord) -> str:
    rows = [row for row in (new.overall, *new.slices) if row.state in (PassState.MISSED, PassState.UNPROVEN)]
    missed = [row for row in rows if row.state is PassState.MISSED] or rows
    if not missed or missed[0].rate is None:
        return ""
    return f"{new.name}/{missed[0].slice}: {missed[0].rate:.0%} of the answers pass"
