"""The changed lines of the prompts that a run is about, and the annotations on them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

from gate.config.values import Pointer, file_part, first_file, is_python, pointer_of, prompt_parts
from gate.errors import GateError, InputErrors
from gate.git.objects import Git
from gate.git.repository import Repo, TreeSource
from gate.prompts.files import FileSource, file_of
from gate.prompts.pointers import PointedText, pointed_text
from gate.record.comparison import Verdict
from gate.record.findings.finding import plain
from gate.record.parts import ArmRecord
from gate.record.run import RunRecord
from gate.report.exports.sarif import Lines, PromptAnnotation, prompt_annotations
from gate.resolve.pairing import Sides
from gate.suite import Suite


def changed_line_annotations(
    run: RunRecord, sides: Sides, suites: Sequence[Suite], folder: str
) -> tuple[PromptAnnotation, ...]:
    """Annotations on changed lines of the prompts and of their parts, by path in the repository.

    Args:
        folder: start of all paths; empty for the root.
    """
    if run.verdict not in (Verdict.BLOCK, Verdict.HOLD):
        return ()
    said: dict[str, str] = {}
    for finding in run.deciding:
        said.setdefault(getattr(finding, "suite", ""), plain(finding.headline))
    found: dict[tuple[str, int, int], PromptAnnotation] = {}
    for suite in suites:
        if why := said.get(suite.name, ""):
            for one in _beside(sides, suite, f"{run.verdict.value}: {why}"):
                # A part may belong to several prompts; only the first of them is shown.
                found.setdefault((one.path, one.first, one.last), one)
    prefix = f"{folder}/" if folder else ""
    return tuple(
        replace(one, path=prefix + one.path, prompt=one.prompt and prefix + one.prompt) for one in found.values()
    )


def _beside(sides: Sides, suite: Suite, message: str) -> Iterator[PromptAnnotation]:
    version = suite.candidate.version
    old_path = suite.baseline.version.path if suite.baseline is not None else version.path
    for old, new in _paired(old_path, version.path):
        for one in _changed_places((sides.base, sides.head), (old, new), message):
            yield replace(one, prompt=version.path) if one.path == first_file(version.path) else one
    for part in version.prompt.parts.files:
        yield from _changed_places((sides.base, sides.head), (part.path, part.path), message)


def _paired(old: str, new: str) -> list[tuple[str, str]]:
    """The parts of a prompt, each with its old path; empty for a new part."""
    return list(zip_longest(prompt_parts(old)[: len(prompt_parts(new))], prompt_parts(new), fillvalue=""))


def _changed_places(
    sources: tuple[FileSource | None, FileSource], names: tuple[str, str], message: str
) -> Iterator[PromptAnnotation]:
    """The changed places of a file, or of the text inside a file that a prompt is."""
    old, new = names
    path = file_of(sources[1], new)
    if path is None:
        return
    before = "" if sources[0] is None or not old else _text(sources[0], file_of(sources[0], old) or file_part(old))
    after = _text(sources[1], path)
    if before == after:
        return
    places = prompt_annotations(path, before, after, message)
    pointer = pointer_of(new)
    if pointer is None:
        yield from places
        return
    found, was = _pointed(after, pointer), _pointed(before, pointer_of(old))
    if found is None or (was is not None and was.plain == found.plain):
        return
    inside = [one for one in places if one.first <= found.last and one.last >= found.line]
    clipped = [replace(one, first=max(one.first, found.line), last=min(one.last, found.last)) for one in inside]
    yield from clipped or (PromptAnnotation(path, found.line, found.line, message),)


def _pointed(content: str, pointer: Pointer | None) -> PointedText | None:
    if pointer is None:
        return None
    try:
        return pointed_text(content, pointer.path, pointer.name, pointer.path)
    except InputErrors:
        return None


def _text(source: FileSource, path: str) -> str:
    return (source.read(path) or b"").decode("utf-8-sig", "replace")


def changed_lines(run: RunRecord) -> Lines:
    """The changed lines of each prompt of the candidate, by the name of the prompt.

    A record may come from anywhere: paths that leave the repository are not followed, and what cannot be read any more
    (a commit that is not in this clone, a file that is gone) has no lines.
    """
    found: dict[str, list[tuple[int, int]]] = {}
    arms: list[tuple[ArmRecord | None, ArmRecord]] = [(suite.baseline, suite.candidate) for suite in run.suites]
    arms += [(None, new.candidate) for new in run.new if run.kind != "check"]
    for before, after in arms:
        if after.path not in found and (places := _recorded_places(before, after)):
            found[after.path] = places
    return found


def _recorded_places(before: ArmRecord | None, after: ArmRecord) -> list[tuple[int, int]]:
    """The changed lines of a prompt; of two messages those in the file of the first."""
    if is_python(after.path):
        return []
    try:
        sources = None if before is None else _source(before), _source(after)
        pairs = _paired(before.path if before is not None else after.path, after.path)
        places = [one for names in pairs for one in _changed_places(sources, names, "")]
    except (GateError, OSError, ValueError):
        return []
    return sorted({(one.first, one.last) for one in places if one.path == first_file(after.path)})


def _source(arm: ArmRecord) -> FileSource:
    if arm.ref == "file":
        return TreeSource(Path(), Git(Path()))
    repo = Repo.open(Path())
    return repo.tree() if arm.sha is None else repo.at(arm.sha)
