"""What a repository may link to, and what never ends, is not read into memory."""

from pathlib import Path

import pytest

from gate.errors import GateError
from gate.generation.written_files import file_content
from gate.git.places import DiskSource

ENDLESS = Path("/proc/self/pagemap")
"""A plain file of no bytes, by its own account, that has thousands of millions."""


@pytest.fixture
def link(tmp_path: Path) -> Path:
    if not ENDLESS.exists():
        pytest.skip("no such file")
    made = tmp_path / "cases.yaml"
    made.symlink_to(ENDLESS)
    return made


@pytest.mark.threat("file-endless")
def test_a_file_of_file_mode(link: Path) -> None:
    assert link.is_file() and link.stat().st_size == 0
    with pytest.raises(GateError, match="is larger than 64 MiB"):
        DiskSource().read(str(link))


@pytest.mark.threat("file-endless")
def test_a_file_where_cases_are_to_lie(link: Path) -> None:
    assert file_content(link) == b""
    assert file_content(link.with_name("none")) is None
    link.with_name("other").write_bytes(b"a")
    assert file_content(link.with_name("other")) == b"a"
