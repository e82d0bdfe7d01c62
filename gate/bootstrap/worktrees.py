"""Folders with the files of a side whose code is run: one for each use, gone right after it."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from gate.bootstrap.trust import distrust
from gate.domain.code_place import CodePlace
from gate.errors import CannotEvaluate, GateError
from gate.git.command import Git
from gate.git.either import EitherSource
from gate.git.export import export
from gate.git.noted import Noted
from gate.git.sources import RefSource, TreeSource
from gate.inputs.source import FileSource
from gate.inputs.subfolder import Subfolder
from gate.settings.surroundings import Surroundings

_CHECK_OUT = "check the repository out before the gate, with fetch-depth: 2 (0 for a branch)"


def refuse_untrusted(here: Surroundings, what: str, instead: str) -> None:
    """Refuse to run code where anybody may have written it.

    Args:
        here: what started this process.
        what: is to be run, as `python:module:function`.
        instead: what can be used that is no code, within a sentence.

    Raises:
        GateError: the event is not one that can be trusted.
    """
    if reason := distrust(here):
        hint = f"a branch of the repository itself can be judged, or {instead}"
        raise GateError(f"{what} is code, and no code of the repository is run here: {reason}", hint)


def place_of(source: FileSource) -> CodePlace:
    """Where the code of one side lies.

    Args:
        source: the side.

    Raises:
        CannotEvaluate: it is in no checkout.
    """
    match source:
        case Subfolder(whole=whole, folder=folder):
            place = place_of(whole)
            return CodePlace(place.checkout, place.sha, place.label, f"{place.folder}/{folder}".lstrip("/"))
        case Noted(inner=inner):
            # Code may read any file of its side.
            source.listing()
            return place_of(inner)
        case TreeSource(root=root):
            return CodePlace(root, None, source.label)
        case EitherSource(local=local):
            return place_of(local)
        case RefSource():
            return CodePlace(source.git.folder, source.sha, source.label)
        case _:
            message = f"{source.label} is not in a checkout, and code needs all of its files"
            raise CannotEvaluate(message, _CHECK_OUT)


@dataclass(frozen=True, slots=True)
class Laid:
    """The files of one side, for one use.

    Args:
        root: the folder that modules are looked for in.
        scratch: goes afterwards; where the root was written for this use, it lies in it.
        written: the folder that all files of a commit were written into; None where they are those of a working tree.
    """

    root: Path
    scratch: Path
    written: Path | None = None


@contextmanager
def laid_out(place: CodePlace) -> Iterator[Laid]:
    """The files of one side in a folder that nothing else uses, and that is gone afterwards.

    Those of a commit are written anew each time: code that ran in between, as the same user, may have written into
    whatever was there. A working tree is used where it lies.

    Args:
        place: of one side.

    Raises:
        GateError, CannotEvaluate: as `gate.git.export.export`.
    """
    scratch = Path(tempfile.mkdtemp(prefix="prompt-gate-"))
    try:
        if place.sha is None:
            yield Laid(place.checkout / place.folder, scratch)
            return
        root = scratch / "files"
        root.mkdir()
        export(Git(place.checkout), place.sha, place.label, root)
        yield Laid(root / place.folder, scratch, root)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
