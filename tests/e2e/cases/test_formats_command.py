"""Files of other tools on the command line, and an imported promptfoo configuration that runs."""

import json
import os
from pathlib import Path

import pytest

from gate.cases.bundles import read_bundle
from gate.cases.files import written
from tests.support.command import Outcome, gate, git
from tests.support.model_server import ModelServer

DATA = Path(__file__).parents[2] / "data" / "formats"


def cases(here: Path, *words: str, code: int = 0) -> Outcome:
    done = gate("cases", *words, cwd=here)
    assert done.code == code, done
    return done


def test_convert_lists_losses_and_strict_refuses_them(tmp_path: Path) -> None:
    config = str(DATA / "promptfoo/simple-test/promptfooconfig.yaml")
    refused = cases(tmp_path, "convert", config, "c.yaml", "--strict", code=2)
    assert "assertion type 'python' of test 4 cannot be converted" in refused.err
    assert "nothing was written" in refused.err and not (tmp_path / "c.yaml").exists()
    done = cases(tmp_path, "convert", config, "c.yaml")
    assert done.out.startswith("c.yaml: 5 new\n5 settings could not be converted exactly:\n")
    assert cases(tmp_path, "lint", "c.yaml").out == "c.yaml: 5 cases, no errors, no suggestions\n"
    told = json.loads(cases(tmp_path, "convert", config, "d.yaml", "--json").out)
    assert told["from"] == "promptfoo" and [f"{config}:34"] in [loss["where"] for loss in told["losses"]]


def test_a_sheet_of_windows_goes_into_the_store_and_out_again_for_another_tool(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    sheet = "id;Frage;Antwort;Sprache\r\nc1;Wo ist der Gürtel?;Im Lager;de\r\nc2;=1+1?;2;en\r\n"
    (tmp_path / "sheet.csv").write_bytes(sheet.encode("cp1252"))
    done = cases(tmp_path, "import", "sheet.csv", "store:shop", "--slice", "Sprache")
    assert "columns: id → id, Frage → input, Antwort → expected, Sprache → slices.Sprache" in done.out
    assert (
        "1 setting could not be converted exactly:\n  sheet.csv: is not UTF-8; it was read as Windows-1252" in done.out
    )
    out = cases(tmp_path, "export", "store:shop", "items.jsonl", "--to", "openai-items").out
    assert out == "items.jsonl: 2 cases as openai-items\n"
    cases(tmp_path, "convert", "items.jsonl", "back.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "back.jsonl").read_text().splitlines()]
    assert rows[1] == {"id": "c2", "input": "=1+1?", "expected": "2", "slices": {"Sprache": "en"}}


@pytest.mark.parametrize("target", ["openai-evals", "openai-items", "promptfoo"])
def test_rows_for_another_tool_are_not_written_as_a_table(tmp_path: Path, target: str) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": "1", "input": "Hi"}\n')
    refused = cases(tmp_path, "convert", "a.jsonl", "b.csv", "--to", target, code=2)
    assert f"{target} cannot be written as a table" in refused.err and "use the ending .jsonl" in refused.err
    assert not (tmp_path / "b.csv").exists()


@pytest.mark.parametrize("target", ["braintrust", "langsmith", "helm", "inspect", "deepeval"])
def test_a_format_that_is_only_read_cannot_be_written(tmp_path: Path, target: str) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": "1", "input": "Hi"}\n')
    refused = cases(tmp_path, "convert", "a.jsonl", "b.jsonl", "--to", target, code=2)
    assert f"'{target}' is not one of 'gate', 'csv', 'promptfoo', 'openai-evals'" in refused.err


def test_other_files_of_office_programs_are_reported(tmp_path: Path) -> None:
    (tmp_path / "sheet.txt").write_bytes("id\tinput\r\n1\tHé\r\n".encode("utf-16"))
    assert "use the ending .tsv" in cases(tmp_path, "convert", "sheet.txt", "b.jsonl", code=2).err
    (tmp_path / "sheet.txt").rename(tmp_path / "sheet.tsv")
    cases(tmp_path, "convert", "sheet.tsv", "b.jsonl")
    assert json.loads((tmp_path / "b.jsonl").read_text()) == {"id": "1", "input": "Hé"}
    (tmp_path / "book.xlsx").write_bytes(b"PK\x03\x04\x14\0\x06\0")
    for command in (("convert", "book.xlsx", "c.jsonl"), ("lint", "book.xlsx")):
        told = cases(tmp_path, *command, code=2).err
        assert "book.xlsx: is an office file" in told and "save the sheet as CSV in UTF-8" in told


def test_an_undetected_format_must_be_named(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": "1", "text": "x", "gold": "y"}\n')
    refused = cases(tmp_path, "convert", "a.jsonl", "b.jsonl", code=2)
    assert "cannot tell the format of a.jsonl" in refused.err and "--from: gate, csv, promptfoo" in refused.err


def test_hostile_files_end_in_an_error_at_once(tmp_path: Path) -> None:
    with (tmp_path / "huge.csv").open("wb") as file:
        os.truncate(file.fileno(), 200 * 1024 * 1024)
    assert "huge.csv is larger than 64 MiB" in cases(tmp_path, "convert", "huge.csv", "o.jsonl", code=2).err
    (tmp_path / "nul.csv").write_bytes(b"id,input\n1,a\0b\n")
    assert (
        "nul.csv:2: is not a text file (it contains NUL bytes)"
        in cases(tmp_path, "convert", "nul.csv", "o.jsonl", code=2).err
    )


def test_a_promptfoo_configuration_runs(tmp_path: Path) -> None:
    source = DATA / "promptfoo/simple-test"
    bundle = read_bundle(
        (source / "promptfooconfig.yaml").read_text(),
        "promptfooconfig.yaml",
        lambda path: (source / path).read_text() if (source / path).is_file() else None,
    )
    (tmp_path / "prompts.txt").write_text((source / "prompts.txt").read_text())
    suite = bundle.suites[0]
    (tmp_path / "cases.yaml").write_text(written(suite.cases, "cases.yaml"))
    with ModelServer() as server:
        entry = {
            "name": suite.name, "prompt": suite.prompt, "template": suite.template, "cases": "cases.yaml",
            "scorers": ["contains"], "model": suite.model, "samples": 1,
        }  # fmt: skip
        (tmp_path / "gate.yaml").write_text(json.dumps({"version": 1, "suites": [entry]}))
        outcome = gate("check", "--json", cwd=tmp_path, env={"OPENAI_BASE_URL": f"{server.url}/v1"})
    assert outcome.code == 1, outcome.err
    checks = {case.id: case.check for case in outcome.record.new[0].cases}
    assert list(checks) == [f"test-{number}" for number in range(1, 6)]
    assert {one.name for check in checks.values() if check for one in check.scorers} == {
        "exact", "contains", "json", "similarity", "judge",
    }  # fmt: skip
