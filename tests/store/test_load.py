"""A record with impossible numbers is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gate.errors import GateError
from gate.files import read_bounded
from gate.store.run_folder import dump_run, load_run
from tests.golden.runs import runs


def damaged(path: Path, damage: Callable[[dict[str, Any]], None]) -> Path:
    """A whole run with one thing changed."""
    data = json.loads(dump_run(runs()["block"]))
    damage(data)
    (path / "run.json").write_text(json.dumps(data))
    return path


def put(where: str, value: object) -> Callable[[dict[str, Any]], None]:
    def damage(data: dict[str, Any]) -> None:
        *parts, last = [int(part) if part.isdigit() else part for part in where.split(".")]
        place: Any = data
        for part in parts:
            place = place[part]
        place[last] = value

    return damage


@pytest.mark.parametrize(
    ("where", "value"),
    [
        *[("suites.0.cases.0.candidate.0", score) for score in (1e308, -0.01)],
        ("suites.0.cases.0.baseline", [1.0] * 101),
        ("suites.0.samples", 100_000),
        ("suites.0.quality.overall.upper", -2),
        ("suites.0.quality.overall.n", -1),
        ("suites.0.latency.candidate.mean", -1.0),
        ("suites.0.cost.candidate.usage.output_tokens", 10**299),
        *[("method.alpha", alpha) for alpha in (0, 0.6)],
        ("seed", -1),
        ("exit_code", 256),
        ("missing.samples", -4),
    ],
)
def test_an_impossible_number_is_reported(tmp_path: Path, where: str, value: object) -> None:
    with pytest.raises(GateError, match=f"is not a complete run: {where}: (Input|List) should") as caught:
        load_run(damaged(tmp_path, put(where, value)))
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("where", "value"),
    [
        ("suites.0.cases.0.candidate.0", 1.0000000000000002),
        ("suites.0.cost.upper", 1e30),
        ("suites.0.quality.overall.cases_needed", 1 << 62),
        ("method.alpha", 5.6e-17),
        ("seed", 10**60),
    ],
)
def test_every_possible_run_is_read(tmp_path: Path, where: str, value: object) -> None:
    load_run(damaged(tmp_path, put(where, value)))


def test_a_suite_that_is_listed_twice_is_refused_by_its_name(tmp_path: Path) -> None:
    def twice(data: dict[str, Any]) -> None:
        data["suites"] *= 2

    with pytest.raises(GateError, match="is not a complete run: two suites are named 'support'$"):
        load_run(damaged(tmp_path, twice))


@pytest.mark.threat("file-endless")
@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no such device")
def test_a_link_to_what_never_ends_is_read_as_far_as_a_file_may_go(tmp_path: Path) -> None:
    link = tmp_path / "run.json"
    link.symlink_to("/dev/zero")
    assert read_bounded(link, 2**20) is None
    link.unlink()
    link.write_bytes(b"12345")
    assert (read_bounded(link, 5), read_bounded(link, 4)) == (b"12345", None)
