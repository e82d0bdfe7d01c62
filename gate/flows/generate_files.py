"""Which files a generation writes, and what is in them; nothing that exists is among them."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gate.domain.promptspec import Specification
from gate.errors import GateError
from gate.flows.generate import Generated
from gate.testgen.written import specification as written
from gate.testgen.written.casefile import cases_jsonl, cases_yaml, fits_yaml

SPEC = "spec.yaml"
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
class Place:
    """Where a generation goes.

    Args:
        folder: of the specification and the cases.
        form: `yaml` or `jsonl`.
    """

    folder: Path
    form: str = "yaml"


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file to be written.

    Args:
        path: free.
        text: of it.
        what: it is, for the user.
    """

    path: Path
    text: str
    what: str


def stem(prompt: str) -> str:
    """The name of a prompt's file without the endings that prompts have."""
    name = Path(prompt).name
    while ending := next((one for one in ENDINGS if name.lower().endswith(one) and len(name) > len(one)), ""):
        name = name[: -len(ending)]
    return name


def new_files(
    made: Generated, given: Specification | None, place: Place, taken: Callable[[Path], bool]
) -> tuple[NewFile, ...]:
    """What is to be written.

    Args:
        made: what came out.
        given: the specification that there was already.
        place: where to.
        taken: is there such a file?
    """
    compiled = {one.rule: one for one in made.compiled}
    files: list[NewFile] = []
    spec = place.folder / SPEC
    if given is None or made.specification != given:
        text = written.text_of(made.specification, made.compiled)
        what = "the specification, to be read and edited" if given is None else "the specification as it is now"
        files.append(NewFile(_free(spec, taken), text, what))
    yaml = place.form == "yaml" and fits_yaml(made.tests, compiled)
    path = _free(place.folder / ("cases.yaml" if yaml else "cases.jsonl"), taken)
    text = cases_yaml(made.tests, compiled) if yaml else cases_jsonl(made.tests, compiled)
    return (*files, NewFile(path, text, "the cases, to be reviewed before they become an exam"))


def _free(path: Path, taken: Callable[[Path], bool]) -> Path:
    """The path itself, or the first of `cases-2.yaml`, `cases-3.yaml`, … that is free."""
    for number in range(1, 1000):
        found = path if number == 1 else path.with_stem(f"{path.stem}-{number}")
        if not taken(found):
            return found
    raise GateError(f"{path} and 998 more like it are there already", "name another folder with --out")
