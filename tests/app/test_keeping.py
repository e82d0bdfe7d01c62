"""The page in the folder of a run, which takes what it can from the samples beside it."""

from pathlib import Path

import pytest

from gate.app.run_order import page, run_folder
from gate.cli import output
from gate.store.run_folder import sample_line, saved_samples
from tests.support.large_run import answered_run

RUN, TAKEN = answered_run(12, 9)
LINES = [sample_line(one) for one in TAKEN]


def page_of(folder: Path) -> str:
    return page(RUN, lambda: saved_samples(folder))


def counted(text: str) -> int:
    """Answers that the drawing of latency rests on, of both arms."""
    cells = text.partition('aria-label="Latency, both arms"')[2].partition("</table>")[0].split("</tr>")[1:3]
    return sum(int(cell.rpartition('class="number">')[2].partition("<")[0]) for cell in cells)


def test_a_folder_gets_the_page_with_times_and_answers_of_all_samples(tmp_path: Path) -> None:
    folder = run_folder(tmp_path / "out")
    for one in TAKEN:
        folder.sample(one)
    folder.run(RUN)
    folder.close()
    text = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert counted(text) == 72
    assert text.count("<article") == 12


def test_a_file_of_its_own_takes_them_from_the_folder_of_the_run(tmp_path: Path) -> None:
    (tmp_path / "samples.jsonl").write_bytes(b"".join(LINES))
    output.write_run(RUN, tmp_path / "x.html", folder=tmp_path)
    assert counted((tmp_path / "x.html").read_text(encoding="utf-8")) == 72


@pytest.mark.parametrize(
    ("content", "answers"),
    [
        (b"".join(LINES)[:-20], 71),
        (b"".join(LINES[:50]) + b"{}\n" + b"".join(LINES[50:]), 50),
        (b"".join(LINES[:40]) + b"\xff\xfe\n", 40),
        (b"".join(line.replace(b'"support"', b'"other"') for line in LINES), 0),
        (b"", 0),
        (b"[" * 100_000, 0),
    ],
    ids=["torn", "forged", "no text", "of another run", "empty", "nested"],
)
def test_a_file_is_read_as_far_as_it_is_one(tmp_path: Path, content: bytes, answers: int) -> None:
    (tmp_path / "samples.jsonl").write_bytes(content)
    text = page_of(tmp_path)
    assert ("Latency, both arms" in text) == (answers > 0)
    if answers:
        assert counted(text) == answers
        assert f"{72 - answers} sample{'' if answers == 71 else 's'} of the run could not be read from" in text


def test_without_samples_the_page_says_so_and_shows_what_the_record_keeps(tmp_path: Path) -> None:
    text = page(RUN, lambda: None)
    assert page_of(tmp_path) == text
    (tmp_path / "samples.jsonl").mkdir()
    assert page_of(tmp_path) == text
    assert "The samples of the run were not found" in text
    assert "<article" in text
