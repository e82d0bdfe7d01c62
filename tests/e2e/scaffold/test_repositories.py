"""`gate init` in repositories whose prompts do not stand ready in files of their own."""

import json
from pathlib import Path

from tests.e2e.scaffold.shop import PROMPT
from tests.support.command import gate
from tests.support.repository import make

CODE = 'TEMPLATE = """You are a helpful assistant, and answer every question."""\n'


def test_prompts_in_code_are_told_unasked_where_there_are_no_others(tmp_path: Path) -> None:
    root = make(tmp_path / "bot", {"src/bot/prompts.py": CODE})
    done = gate("init", cwd=root)
    assert done.code == 2
    assert "in code: src/bot/prompts.py:1: TEMPLATE" in done.out
    assert "python:package.module:function" in done.out
    assert "the code has those above" in done.err
    mixed = make(tmp_path / "mixed", {**PROMPT, "src/bot/prompts.py": CODE})
    assert "in code" not in gate("init", "--dry-run", cwd=mixed).out


def test_a_program_is_told_what_was_found_written_and_left_alone(tmp_path: Path) -> None:
    other = {"prompts/all.yaml": "support: {system: You help the customers of a shop.}\n", "bot/prompts.py": CODE}
    root = make(tmp_path / "shop", {**PROMPT, **other})
    dry = json.loads(gate("init", "--json", "--dry-run", cwd=root).out)
    assert (dry["dry_run"], dry["next"]) == (True, [])
    assert not (root / "gate.yaml").exists()
    done = gate("init", "--json", "--find-in-code", "--model", "openai:gpt-5-mini", cwd=root)
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert told["schema"] == "prompt-gate/init/1"
    assert [one["path"] for one in told["found"]] == ["prompts/support.md"]
    assert [one["path"] for one in told["left_out"]] == ["prompts/all.yaml"]
    assert told["in_code"] == [{"where": "bot/prompts.py:1", "name": "TEMPLATE", "chars": 55}]
    assert told["written"] == dry["written"] and "gate.yaml" in told["written"]
    assert (told["model"], told["judge"], told["keys"]) == ("openai:gpt-5-mini", "openai:gpt-5", ["OPENAI_API_KEY"])
    (suite,) = told["suites"]
    assert (suite["name"], suite["count"], suite["starter"], suite["language"]) == ("support", 20, True, "en")
    assert "gate diff --base main" in told["next"]
    again = json.loads(gate("init", "--json", cwd=root).out)
    assert (again["written"], "gate.yaml" in again["kept"]) == ([], True)
