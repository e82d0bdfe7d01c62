"""Which files a generation writes, and what is in them; nothing that exists is among them."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gate.domain.promptspec import Specification
from gate.errors import GateError
from gate.inputs.problems import quoted
from gate.testgen.written import specification as written
from gate.testgen.written.casefile import cases_jsonl, cases_yaml, fits_yaml

if TYPE_CHECKING:
    from gate.flows.generate import Generated

SPEC = "spec.yaml"
AS_IT_IS = f"the specification with what it lacked; copy it over {SPEC} when you agree: that one alone is read"
ENDINGS = (
    ".prompt.yml",
    ".prompt.yaml",
    ".prompty",
    ".j2",
    ".jinja",
    ".jinja2",
    ".md",
    ".txt",
    ".yaml",
    ".yml",
    ".json",
)


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file to be written.

    Args:
        path: free, or that of a file with the very same text.
        text: of it.
        what: it is, for the user.
        there: the file is there already, to the byte, and is left alone.
    """

    path: Path
    text: str
    what: str
    there: bool = False

    @property
    def told(self) -> str:
        """The file in one line."""
        return f"{self.path}: {self.what}{' (as it was)' if self.there else ''}"


@dataclass(frozen=True, slots=True)
class NewFiles:
    """All of them.

    Args:
        cases: the case file; None where there are no tests.
        spec: the specification; None where the one that was given stands.
    """

    cases: NewFile | None = None
    spec: NewFile | None = None

    @property
    def all(self) -> tuple[NewFile, ...]:
        """In the order in which they are told."""
        return tuple(file for file in (self.spec, self.cases) if file is not None)


def stem(prompt: str) -> str:
    """The name of a prompt's file without the endings that prompts have.

    Raises:
        GateError: nothing is left of it.
    """
    name = Path(prompt).name
    while ending := next((one for one in ENDINGS if name.lower().endswith(one) and len(name) > len(one)), ""):
        name = name[: -len(ending)]
    if not name.strip("."):
        raise GateError(f"{quoted(prompt)} has no name to call a folder by", "name a folder with --out")
    return name


def new_files(
    made: "Generated", given: Specification | None, folder: Path, lying: Callable[[Path], bytes | None]
) -> NewFiles:
    """What is to be written.

    Args:
        made: what came out.
        given: the specification that there was already.
        folder: of the specification and the cases.
        lying: what is in the file of a path; None where the path is free.
    """
    spec: NewFile | None = None
    if given is None or _more(made.specification, given):
        text = written.text_of(made.specification, made.compiled)
        what = "the specification, to be read and edited" if given is None else AS_IT_IS
        spec = _free(NewFile(folder / SPEC, text, what), lying)
    if not made.tests:
        return NewFiles(spec=spec)
    yaml = fits_yaml(made.tests)
    path = folder / ("cases.yaml" if yaml else "cases.jsonl")
    text = cases_yaml(made.tests) if yaml else cases_jsonl(made.tests)
    cases = NewFile(path, text, "the cases, to be reviewed before they become an exam")
    return NewFiles(_free(cases, lying), spec)


def _more(made: Specification, given: Specification) -> bool:
    """Is there anything that tests are made from, or to be asked, which the file that a person wrote does not say?"""
    return made.digest != given.digest or made.questions != given.questions


def _free(file: NewFile, lying: Callable[[Path], bytes | None]) -> NewFile:
    """At its path, or at the first of `cases-2.yaml`, `cases-3.yaml`, … that is free or holds the same already."""
    path = file.path
    for number in range(1, 1000):
        found = path if number == 1 else path.with_stem(f"{path.stem}-{number}")
        there = lying(found)
        if there is None or there == file.text.encode():
            return replace(file, path=found, there=there is not None)
    raise GateError(f"{path} and 998 more like it are there already", "name another folder with --out")
