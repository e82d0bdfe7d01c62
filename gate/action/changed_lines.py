"""The changed lines of the prompts that a run is about, and annotations beside them."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from gate.errors import GateError
from gate.git.objects import Git
from gate.git.repository import Repo, TreeSource
from gate.prompts.files import FileSource, file_of
from gate.record.comparison import PassState, State, Verdict
from gate.record.parts import ArmRecord
from gate.record.run import NewSuiteRecord, RunRecord, SuiteRecord
from gate.report.exports.sarif import Lines, PromptAnnotation, prompt_annotations
from gate.report.numbers import fall_sentence
from gate.resolve.pairing import Sides
from gate.suite import Suite

_STATES = (State.REGRESSION, State.SUSPECT)


def changed_line_annotations(
    run: RunRecord, sides: Sides, suites: Sequence[Suite], folder: str
) -> tuple[PromptAnnotation, ...]:
    """Annotations on changed lines of the prompts and of their parts, by path in the repository.

    Args:
        folder: start of all paths; empty for the root.
    """
    if run.verdict not in (Verdict.BLOCK, Verdict.HOLD):
        return ()
    said = {suite.name: _fell(suite) for suite in run.suites} | {new.name: _missed(new) for new in run.new}
    found: dict[tuple[str, int, int], PromptAnnotation] = {}
    for suite in suites:
        if why := said.get(suite.name, ""):
            for one in _beside(sides, suite, f"{run.verdict.value}: {why}"):
                # A part may belong to several prompts; only the first of them is shown.
                found.setdefault((one.path, one.first, one.last), one)
    prefix = f"{folder}/" if folder else ""
    return tuple(PromptAnnotation(prefix + one.path, one.first, one.last, one.message) for one in found.values())


def _beside(sides: Sides, suite: Suite, message: str) -> Iterator[PromptAnnotation]:
    version = suite.candidate.version
    old_path = suite.baseline.version.path if suite.baseline is not None else version.path
    places = file_of(sides.base, old_path), file_of(sides.head, version.path)
    pairs = [(places[0] or old_path, places[1]), *((part.path, part.path) for part in version.prompt.parts.files)]
    for old, new in pairs:
        if new is None:
            continue
        before, after = _text(sides.base.read(old)), _text(sides.head.read(new))
        if before != after:
            yield from prompt_annotations(new, before, after, message)


def _text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "replace")


def _fell(suite: SuiteRecord) -> str:
    """The worst result that keeps the verdict from being green; empty where there is none."""
    rows = [row for row in (suite.quality.overall, *suite.quality.slices) if row.blocking and row.state in _STATES]
    if rows:
        worst = min(rows, key=lambda row: (_STATES.index(row.state), row.upper if row.upper is not None else 0.0))
        return fall_sentence(worst, worst.slice)
    risen = [axis.axis for axis in (suite.cost, suite.latency) if axis.exceeded]
    return f"{suite.name}: {' and '.join(risen)} beyond the allowance" if risen else ""


def _missed(new: NewSuiteRecord) -> str:
    rows = [row for row in (new.overall, *new.slices) if row.state in (PassState.MISSED, PassState.UNPROVEN)]
    missed = [row for row in rows if row.state is PassState.MISSED] or rows
    if not missed or missed[0].rate is None:
        return ""
    return f"{new.name}/{missed[0].slice}: {missed[0].rate:.0%} of the answers pass"


def changed_lines(run: RunRecord, directory: Path = Path()) -> Lines:
    """The changed lines of each prompt of the candidate, by path.

    A record may come from anywhere: paths that leave the repository are not followed, and what cannot be read any more
    (a commit that is not in this clone, a file that is gone) has no lines.
    """
    found: dict[str, list[tuple[int, int]]] = {}
    arms: list[tuple[ArmRecord | None, ArmRecord]] = [(suite.baseline, suite.candidate) for suite in run.suites]
    arms += [(None, new.candidate) for new in run.new if run.kind != "check"]
    for before, after in arms:
        if after.path in found or (now := _prompt_text(after, directory)) is None:
            continue
        old = "" if before is None else _prompt_text(before, directory)
        if old is not None and old != now:
            found[after.path] = [(one.first, one.last) for one in prompt_annotations(after.path, old, now, "")]
    return found


def _prompt_text(arm: ArmRecord, directory: Path) -> str | None:
    try:
        data = _source(arm, directory).read(arm.path)
    except (GateError, OSError, ValueError):
        return None
    return None if data is None else data.decode("utf-8", "replace")


def _source(arm: ArmRecord, directory: Path) -> FileSource:
    if arm.ref == "file":
        return TreeSource(directory, Git(directory))
    repo = Repo.open(directory)
    return repo.tree() if arm.sha is None else repo.at(arm.sha)
