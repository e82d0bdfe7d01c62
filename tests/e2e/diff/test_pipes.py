"""A reader that ends early does not change the exit code."""

import subprocess
import sys
from pathlib import Path

from tests.support.command import environment, write_jsonl


def test_the_exit_code_is_kept_if_the_reader_ends_early(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("quality=1.0")
    (tmp_path / "b.md").write_text("Answer. quality=1.0")
    rows = [{"id": f"c{i}", "input": f"answer=w{i} {'long ' * 200}", "expected": f"w{i}"} for i in range(20)]
    write_jsonl(tmp_path / "cases.jsonl", rows)
    files = ("a.md", "b.md", "--cases", "cases.jsonl", "--model", "fake:oracle", "--samples", "1")
    command = [sys.executable, "-m", "gate", "diff", *files, "--json"]
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        env=environment(tmp_path) | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    err = process.stderr.read().decode()
    assert process.wait(timeout=60) == 0, err
    assert "Error" not in err
    assert "failed" not in err
