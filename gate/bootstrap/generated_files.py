"""What a generation leaves on disk: nothing that is there is replaced, but what is for a reader's information."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from gate.bootstrap.ask_models import FOLDER
from gate.bootstrap.resolving import DiskSource
from gate.domain.promptspec import GeneratedTest
from gate.flows.generate_files import NewFile
from gate.inputs.text import decode
from gate.store.new_files import rewrite, write_all_new
from gate.store.own_folder import make_folder
from gate.store.run_folder import write_whole
from gate.testgen.written.testdata import with_test_data


def lying(path: Path) -> bytes | None:
    """What a file holds, nothing where it cannot be read; None where there is none."""
    try:
        return path.read_bytes()
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


def keep_for_reading(texts: Mapping[str, str]) -> None:
    """Write what is for a reader's information into `FOLDER`; what an earlier generation left there goes."""
    make_folder(FOLDER)
    for name, text in texts.items():
        write_whole(FOLDER / name, text)


def write_back(prompt: Path, tests: Sequence[GeneratedTest]) -> None:
    """Add tests to the test data of a `.prompt.yml`; all else in it stays as it is.

    Raises:
        GateError: it cannot be added to, or written.
    """
    data = DiskSource().read(str(prompt))
    rewrite(prompt, with_test_data(decode(data or b"", str(prompt)), tests, str(prompt)))
