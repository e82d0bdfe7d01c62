"""A reader that ends early does not change the exit code."""

import subprocess
from pathlib import Path

from tests.support import forked
from tests.support.command import environment, write_jsonl

COMMAND = """\
import io, sys
from gate.__main__ import main

# As with PYTHONUNBUFFERED.
sys.stdout = sys.__stdout__ = io.TextIOWrapper(io.FileIO(1, "w", closefd=False), encoding="utf-8", write_through=True)
main()
"""


def test_the_exit_code_is_kept_if_the_reader_ends_early(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("quality=1.0")
    (tmp_path / "b.md").write_text("Answer. quality=1.0")
    rows = [{"id": f"c{i}", "input": f"answer=w{i} {'long ' * 200}", "expected": f"w{i}"} for i in range(20)]
    write_jsonl(tmp_path / "cases.jsonl", rows)
    files = ("a.md", "b.md", "--cases", "cases.jsonl", "--model", "fake:oracle", "--samples", "1")
    (tmp_path / "command.py").write_text(COMMAND)
    command = [str(forked.python(tmp_path)), "command.py", "diff", *files, "--json"]
    process = subprocess.Popen(
        command, cwd=tmp_path, env=environment(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    err = process.stderr.read().decode()
    assert process.wait(timeout=60) == 0, err
    assert "Error" not in err
    assert "failed" not in err
