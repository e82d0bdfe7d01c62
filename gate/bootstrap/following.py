"""Lets a specification and its cases follow a change of the prompt, both or neither."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gate.bootstrap.resolving import DiskSource, beside
from gate.domain.model import ModelRef
from gate.domain.promptspec import Specification
from gate.domain.words import counted
from gate.errors import InputErrors
from gate.flows.files import read_prompt
from gate.flows.promises_update import Update
from gate.inputs import config, specfile
from gate.inputs.cases import parse
from gate.inputs.text import decode
from gate.store.new_files import rewrite_all
from gate.testgen.effort import EffortSettings
from gate.testgen.specdiff.follow import tests_of
from gate.testgen.written import specification as written
from gate.testgen.written.casefile import with_more, with_obsolete

CONFIG = "gate.yaml"
CASES = ("cases.yaml", "cases.jsonl")


@dataclass(frozen=True, slots=True)
class Files:
    """What lies there.

    Args:
        spec: the specification.
        cases: the case file that goes with it; None where there is none.
        others: further case files, which are left alone.
    """

    spec: Path
    cases: Path | None
    others: tuple[Path, ...] = ()


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
    """What belongs to a prompt: of case files the one that a suite of `gate.yaml` names, or else the first one there.

    Args:
        prompt: its path.
        spec: of the specification.
        folder: of the cases.
    """
    lying = [path for path in (folder / name for name in CASES) if path.is_file()]
    numbered = (path for name in CASES for path in folder.glob(name.replace(".", "-[0-9]*.")) if path.is_file())
    lying += sorted(numbered, key=lambda path: (len(path.name), path.name))
    named = [path for path in _named(prompt) if path.is_file()]
    cases = next(iter((*named, *lying)), None)
    others = tuple(path for path in lying if cases is not None and path.resolve() != cases.resolve())
    return Files(spec, cases, others)


def _named(prompt: str) -> Iterator[Path]:
    """The case files of the suites of a prompt, where the command runs beside a configuration that can be read."""
    data = DiskSource().read(CONFIG)
    try:
        suites = config.load(decode(data, CONFIG), CONFIG).suites if data is not None else ()
    except InputErrors:
        return
    here = Path(prompt).resolve()
    yield from (Path(suite.cases) for suite in suites if Path(suite.prompt).resolve() == here)


def bring_up(update: Update, files: Files, makers: Makers) -> list[str]:
    """Let the specification and the cases follow the prompt; texts that people wrote stay.

    Args:
        update: what they need.
        files: where they are.
        makers: what the tests were made by.

    Returns:
        What was done to each file, in a line, and what is left to do.

    Raises:
        InputErrors, GateError: a file cannot be read, added to or written, so that both are as they were.
    """
    plan, spec, cases = update.plan, files.spec, files.cases
    texts = {spec: written.updated(_text(spec), update.specification, str(spec))}
    said = [f"{spec}: {', '.join((*_counts(update),))}"]
    if plan.open:
        said.append(f"{spec}: left as they are until somebody decides: {', '.join(plan.open)}")
    if cases is None:
        said.append(f"there is no case file beside {spec}: the tests of the new rules are made by gate generate")
    else:
        after = with_more(_text(cases), update.tests, str(cases))
        texts[cases] = with_obsolete(after, plan.obsolete, str(cases))
        said.append(f"{cases}: {counted(len(update.tests), 'test')} added; those of obsolete rules marked")
        if not plan.open and _covered(specfile.parse(texts[spec], str(spec)), texts[cases], cases):
            made = tests_of(specfile.parse(texts[spec], str(spec)), makers.settings, makers.generator)
            texts[spec] = written.stamped(texts[spec], made, str(spec))
    rewrite_all(texts)
    return [*said, *(f"{path}: left as it is" for path in files.others)]


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
