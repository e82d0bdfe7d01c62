"""What the runner reads back is read here as the runner reads it, whatever the text."""

import re
import unicodedata
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import example, given
from hypothesis import strategies as st

from gate.action.outcome import write_outputs, write_summary
from gate.report.escape import one_line, terminal_text
from gate.report.exports.sarif import CommandLevel, FilePlace, annotation_command
from tests.support.github_action import parse_outputs

ANY = st.text(st.characters())
"""Lone surrogates included."""
NAMES = st.sampled_from(["verdict", "worst-slice", "comment-url", "cost-usd"])


def read_command(line: str) -> tuple[str, dict[str, str], str]:
    """Name, properties and data of a workflow command, as the runner takes it apart."""
    found = re.fullmatch(r"::(\w+) (.*?)::(.*)", line)
    assert found, line
    properties = dict(pair.split("=", 1) for pair in found[2].split(",") if pair)
    decoded = {name: _decoded(value, {"%3A": ":", "%2C": ","}) for name, value in properties.items()}
    return found[1], decoded, _decoded(found[3], {})


def _decoded(text: str, more: dict[str, str]) -> str:
    codes = {"%0D": "\r", "%0A": "\n", **more, "%25": "%"}
    return re.sub("|".join(codes), lambda code: codes[code[0]], text)


def written(outputs: dict[str, str]) -> str:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "output"
        write_outputs(file, outputs)
        return file.read_bytes().decode()


@given(st.dictionaries(NAMES, ANY))
@example({"verdict": "SHIP\nprompt-gate-0\nverdict=PASS\nverdict<<EOF\nPASS\nEOF\n"})
@example({"verdict": "\r\n\n\r", "worst-slice": "\ud800\x00\u2028"})
def test_outputs_come_back_and_no_others(outputs: dict[str, str]) -> None:
    expected = {name: value.encode("utf-8", "replace").decode() for name, value in outputs.items()}
    assert parse_outputs(written(outputs)) == expected


def test_an_output_cannot_end_the_one_before() -> None:
    first = written({"verdict": "PASS"})
    delimiter = first.partition("<<")[2].partition("\n")[0]
    assert parse_outputs(written({"verdict": f"PASS\n{delimiter}\ncost-usd<<{delimiter}\n0"}))["verdict"] != "PASS"
    assert delimiter not in written({"verdict": "PASS"})


def test_files_are_appended_to(tmp_path: Path) -> None:
    output, summary = tmp_path / "output", tmp_path / "summary"
    output.write_text("earlier<<prompt-gate-of-another-step\n1\nprompt-gate-of-another-step\n")
    summary.write_text("# Earlier\n")
    write_outputs(output, {"verdict": "PASS"})
    write_summary(summary, "ünï \ud800\r\n")
    write_summary(summary, "## More\n")
    assert parse_outputs(output.read_bytes().decode()) == {"earlier": "1", "verdict": "PASS"}
    assert summary.read_bytes().decode() == "# Earlier\nünï ?\r\n## More\n"


@given(st.sampled_from(["error", "warning", "notice"]), ANY)
@example("error", "::set-output name=verdict::SHIP\n::add-mask::x\r::debug::x\u2028##[error]no")
@example("error", "100 %0A::error::x %25 %3A")
@example("error", ":")
def test_an_annotation_is_one_line_and_one_command(level: CommandLevel, message: str) -> None:
    line = annotation_command(level, message)
    assert len(line.splitlines()) == 1
    assert {unicodedata.category(char) for char in line}.isdisjoint({"Cc", "Cs", "Zl", "Zp"})
    assert "##[" not in line
    head = f"::{level} title=Prompt Gate::"
    assert line.startswith(head)
    assert read_command(line) == (level, {"title": "Prompt Gate"}, terminal_text(message))


@given(ANY, ANY, st.integers(0, 10_000))
@example("a,b:c%d\ne,line=5::error::x", "x", 7)
@example("a,title=Yours", "x", 0)
@example("100%2C", "x", 0)
def test_a_place_is_what_it_was(file: str, message: str, line: int) -> None:
    text = annotation_command("warning", message, FilePlace(file, line))
    assert len(text.splitlines()) == 1
    name, properties, data = read_command(text)
    expected = {"file": one_line(file), "title": "Prompt Gate", **({"line": str(line)} if line else {})}
    assert (name, properties, data) == ("warning", expected, terminal_text(message))
