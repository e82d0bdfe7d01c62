"""Lets a specification and its cases follow a change of the prompt, both or neither."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gate.bootstrap.resolving import DiskSource, beside
from gate.config import gatefile
from gate.domain.model import ModelRef
from gate.domain.promptspec import Specification
from gate.domain.words import counted
from gate.errors import GateError, InputErrors
from gate.flows.files import read_prompt
from gate.flows.promises_update import Update
from gate.inputs import specfile
from gate.inputs.cases import parse
from gate.inputs.text import decode
from gate.store.new_files import rewrite_all
from gate.testgen.effort import EffortSettings
from gate.testgen.specdiff.follow import tests_of
from gate.testgen.written import specification as written
from gate.testgen.written.casefile import generated, with_more, with_obsolete

CONFIG = "gate.yaml"
CASES = ("cases.yaml", "cases.jsonl")


@dataclass(frozen=True, slots=True)
class Files:
    """What lies there.

    Args:
        spec: the specification.
        cases: the case file that holds the generated tests, which more are added to; None where there is none.
        others: further case files, in which at most tests are marked.
        notes: why a file is not among them that may be expected to be.
    """

    spec: Path
    cases: Path | None
    others: tuple[Path, ...] = ()
    notes: tuple[str, ...] = ()

    def check(self) -> None:
        """Can the files follow? To be asked before anything is spent.

        Raises:
            InputErrors, GateError: a case file cannot be read.
        """
        for path in (self.cases, *self.others):
            if path is not None:
                generated(_text(path), str(path))


@dataclass(frozen=True, slots=True)
class BroughtUp:
    """What was done.

    Args:
        done: to each file, in a line, and what is left to do.
        warnings: what a reader should not pass over.
    """

    done: tuple[str, ...]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Makers:
    """What tests are made by.

    Args:
        settings: how many, of which kind.
        generator: who writes them.
    """

    settings: EffortSettings
    generator: ModelRef


def files_of(prompt: str, spec: Path, folder: Path) -> Files:
    """What belongs to a prompt: the case files that suites of `gate.yaml` name, and those beside the specification.

    Tests are added to the first one that holds generated tests, and never to a file that people wrote.

    Args:
        prompt: its path.
        spec: of the specification.
        folder: of the cases.
    """
    lying = [path for path in (folder / name for name in CASES) if path.is_file()]
    numbered = (path for name in CASES for path in folder.glob(name.replace(".", "-[0-9]*.")) if path.is_file())
    lying += sorted(numbered, key=lambda path: (len(path.name), path.name))
    named, notes = _named(prompt)
    found = {path.resolve(): path for path in reversed((*named, *lying)) if path.is_file()}
    every = tuple(reversed(found.values()))
    cases = next(filter(_may_hold_generated, every), None)
    return Files(spec, cases, tuple(path for path in every if path != cases), notes)


def _named(prompt: str) -> tuple[tuple[Path, ...], tuple[str, ...]]:
    """The case files of the suites of a prompt, where the command runs beside a configuration that can be read."""
    data = DiskSource().read(CONFIG)
    try:
        suites = gatefile.load(decode(data, CONFIG), CONFIG).suites if data is not None else ()
    except InputErrors as error:
        return (), (
            f"The case files that {CONFIG} names were not looked at, for it has a mistake: {error.problems[0]}",
        )
    here = Path(prompt).resolve()
    return tuple(Path(suite.cases) for suite in suites if Path(suite.prompt).resolve() == here), ()


def _may_hold_generated(path: Path) -> bool:
    """What cannot be read is said by `Files.check`, before it is touched."""
    try:
        return generated(_text(path), str(path))
    except GateError:
        return True


def bring_up(update: Update, files: Files, makers: Makers) -> BroughtUp:
    """Let the specification and the cases follow the prompt; texts that people wrote stay.

    Args:
        update: what they need.
        files: where they are.
        makers: what the tests were made by.

    Raises:
        InputErrors, GateError: a file cannot be read, added to or written, so that all are as they were.
    """
    plan, spec, cases = update.plan, files.spec, files.cases
    texts = {spec: written.updated(_text(spec), update.specification, str(spec))}
    said = [*files.notes, f"{spec}: {', '.join((*_counts(update),))}"]
    if plan.open:
        said.append(f"{spec}: left as they are until somebody decides: {', '.join(plan.open)}")
    if cases is None:
        said.append("there is no case file with generated tests: those of the new rules are made by gate generate")
    else:
        after = with_more(_text(cases), update.tests, str(cases))
        texts[cases] = with_obsolete(after, plan.obsolete, str(cases))
        said.append(f"{cases}: {counted(len(update.tests), 'test')} added; those of obsolete rules marked")
        if not plan.open and _covered(specfile.parse(texts[spec], str(spec)), texts[cases], cases):
            made = tests_of(specfile.parse(texts[spec], str(spec)), makers.settings, makers.generator)
            texts[spec] = written.stamped(texts[spec], made, str(spec))
    for path in files.others:
        before = _text(path)
        after = with_obsolete(before, plan.obsolete, str(path)) if generated(before, str(path)) else before
        told = "left as it is" if after == before else "the tests of obsolete rules marked"
        texts |= {path: after} if after != before else {}
        said.append(f"{path}: {told}")
    warnings = tuple(warning for path in texts if path != spec for warning in _shrunk(path, texts[path]))
    rewrite_all(texts)
    return BroughtUp((*said,), warnings)


def _shrunk(path: Path, after: str) -> Iterator[str]:
    """Says where half of an exam or more goes."""
    old, new = ({case.id for case in parse(text, str(path)) if not case.obsolete} for text in (_text(path), after))
    gone = len(old - new)
    if not new:
        yield f"{path}: the exam is empty now, all {counted(len(old), 'case')} are marked obsolete"
    elif 2 * gone >= len(old) > 0:
        yield f"{path}: {gone:,} of {counted(len(old), 'case')} are marked obsolete; look whether that is meant"


def _counts(update: Update) -> Iterator[str]:
    plan = update.plan
    yield f"{counted(len(plan.add), 'rule')} added"
    yield f"{len(plan.obsolete)} marked obsolete"
    yield from (f"{old} → {new}" for old, new in plan.successors.items())
    if new := [rule.id for rule in plan.add if rule.id not in plan.successors.values()]:
        yield f"new: {' '.join(new)}"


def _covered(specification: Specification, cases: str, file: Path) -> bool:
    """Has each rule an inverse, and both have tests?"""
    counting = (case for case in parse(cases, str(file)) if not case.obsolete)
    found = {(case.slices.get("rule"), case.slices.get("kind")) for case in counting}
    return all(rule.inverse and {(rule.id, "rule"), (rule.id, "inverse")} <= found for rule in specification.rules)


def followed(files: Files, prompt: str, makers: Makers) -> int | None:
    """How many rules an update has left with all their tests, so that there is nothing to make; None where there is.

    Args:
        files: where specification and cases are.
        prompt: path of the prompt.
        makers: what tests would be made by.

    Raises:
        InputErrors: a mistake in the specification.
    """
    data = DiskSource().read(str(files.spec))
    if data is None or files.cases is None:
        return None
    found = specfile.read(decode(data, str(files.spec)), str(files.spec))
    if not found.tests or found.tests != tests_of(found.specification, makers.settings, makers.generator):
        return None
    if found.specification.prompt != read_prompt(DiskSource(), prompt, beside).prompt.digest:
        return None
    return len(found.specification.rules)


def _text(path: Path) -> str:
    return decode(DiskSource().read(str(path)) or b"", str(path))
