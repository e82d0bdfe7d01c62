"""What a generation leaves on disk: nothing that is there is replaced, but what is for a reader's information."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from gate.bootstrap.ask_models import FOLDER
from gate.bootstrap.places import own_folder
from gate.bootstrap.resolving import DiskSource
from gate.domain.promptspec import GeneratedTest
from gate.errors import GateError
from gate.flows.generate_files import NewFile
from gate.inputs.limits import FILE_BYTES
from gate.inputs.text import decode
from gate.store.bounded import read_bounded
from gate.store.new_files import rewrite, write_all_new
from gate.store.own_folder import make_folder
from gate.store.run_folder import write_whole
from gate.testgen.written.casefile import with_test_data


def lying(path: Path) -> bytes | None:
    """What a file holds, nothing where it cannot be read, or not whole; None where there is none."""
    try:
        return read_bounded(path, FILE_BYTES) or b""
    except (FileNotFoundError, NotADirectoryError):
        return b"" if path.is_symlink() else None
    except OSError:
        return b""


def keep(files: Sequence[NewFile]) -> None:
    """Write files that are not there yet.

    Raises:
        GateError: one of them cannot be written, so that none is.
    """
    write_all_new({file.path: file.text for file in files if not file.there})


def reading_folder(cases: Path) -> Path:
    """Where the summary of a generation goes: each folder of cases has one of its own in `FOLDER`.

    Args:
        cases: their folder; `evals/shop` is called `shop`, and `exams/one` is called `exams-one`.
    """
    own, whole = own_folder(), Path(os.path.abspath(cases))
    root = Path(os.path.abspath(own)).parent
    inside = whole.relative_to(root) if whole.is_relative_to(root) else whole.relative_to(whole.anchor)
    parts = inside.parts[1:] if inside.parts[:1] == ("evals",) and len(inside.parts) > 1 else inside.parts
    return own / FOLDER / ("-".join(parts) or "here")


def keep_for_reading(folder: Path, texts: Mapping[str, str | None]) -> None:
    """Write what is for a reader's information, and is no part of the exam.

    Args:
        folder: for it; made where it is missing.
        texts: by the name of the file; what an earlier generation left under it goes, and with None nothing comes.

    Raises:
        GateError: it cannot be written.
    """
    make_folder(folder.parent)
    if folder.is_symlink():
        raise GateError(f"{folder} is a symbolic link", "remove it")
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise GateError(f"cannot write to {folder}: {error.strerror}", "remove what is in the way") from None
    for name, text in texts.items():
        if text is None:
            (folder / name).unlink(missing_ok=True)
        else:
            write_whole(folder / name, text)


def write_back(prompt: Path, tests: Sequence[GeneratedTest]) -> None:
    """Add tests to the test data of a `.prompt.yml`; all else in it stays as it is.

    Raises:
        GateError: it cannot be added to, or written.
    """
    data = DiskSource().read(str(prompt))
    rewrite(prompt, with_test_data(decode(data or b"", str(prompt)), tests, str(prompt)))
