"""Merged shards are identical to one run, except for timings and cost."""

import json
from pathlib import Path

from tests.e2e.shards.conftest import make, write
from tests.e2e.shards.runs import REFS, assert_same_report, here, keys, merge, shards, untimed
from tests.support.command import gate, write_jsonl
from tests.support.example import CONFIG, FILES, case
from tests.support.model_server import ModelServer


def test_merged_shards_of_two_suites_and_a_new_prompt_equal_one_run(repo: Path) -> None:
    whole = gate("diff", *REFS, "--no-early-stop", "--out", "whole", cwd=repo)
    shards(repo, 2)
    merged = merge(repo)
    assert merged.code == whole.code == 0, merged.err
    assert untimed(repo / "merged") == untimed(repo / "whole")
    assert_same_report(repo / "merged", repo / "whole")
    order = keys(repo / "merged")
    assert sorted(order) == sorted(keys(repo / "whole"))
    assert order[:4] == [("support", "c0", arm, index) for index in (0, 1) for arm in ("baseline", "candidate")]

    one = here("merge", "shards/1", "shards/2", "--out", "only.md", "--quiet", cwd=repo)
    assert one.out.count("\n") == 1
    assert (repo / "only.md").read_text().startswith("## ")


def test_merged_shards_with_a_judge_equal_one_run(tmp_path: Path) -> None:
    with ModelServer() as server:
        config = CONFIG.replace('"fake:oracle"', "own:m").replace("[exact]", "[exact, judge: {criteria: Is it right?}]")
        config = config.replace("samples: 2}\n", "samples: 2, params: {seed: 7}}\n")
        config += f"providers: {{own: {{api: openai, base_url: '{server.url}/v1'}}}}\n"
        make(tmp_path, {**FILES, "gate.yaml": config})
        write(tmp_path, {"prompts/faq.md": "Answer quickly. quality=0.1\n"})
        whole = gate("diff", *REFS, "--no-early-stop", "--out", "whole", cwd=tmp_path)
        asked = server.requests
        shards(tmp_path, 2)
        # Every answer was requested again; a process sends some equal judge requests only once.
        answers = len(keys(tmp_path / "whole"))
        asked_again = server.requests - asked
        assert answers < asked_again
        merged = merge(tmp_path)
        assert server.requests == asked + asked_again
    assert merged.code == whole.code == 1, merged.err
    assert untimed(tmp_path / "merged") == untimed(tmp_path / "whole")
    assert_same_report(tmp_path / "merged", tmp_path / "whole")


def test_merged_shards_in_file_mode_equal_one_run(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Be good. quality=1.0")
    (tmp_path / "b.md").write_text("Be better. quality=0.8")
    write_jsonl(tmp_path / "cases.jsonl", [case(number, "gold") for number in range(12)])
    named = ("a.md", "b.md", "--cases", "cases.jsonl", "--model", "fake:oracle")
    options = (*named, "--scorer", "judge", "--criteria", "Is it right?", "--samples", "2")
    whole = gate("diff", *options, "--no-early-stop", "--out", "whole", cwd=tmp_path)
    shards(tmp_path, 3, *options)
    assert merge(tmp_path).code == whole.code
    assert untimed(tmp_path / "merged") == untimed(tmp_path / "whole")


def test_more_shards_than_pairs_are_allowed(tmp_path: Path) -> None:
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text(f"Be good. quality=1.0 {name}")
    write_jsonl(tmp_path / "cases.jsonl", [case(number, "gold") for number in range(2)])
    named = ("a.md", "b.md", "--cases", "cases.jsonl", "--model", "fake:oracle")
    shards(tmp_path, 3, *named, "--samples", "1")
    assert merge(tmp_path).code == 0
    assert len(keys(tmp_path / "merged")) == 4
    assert json.loads((tmp_path / "shards/3/shard.json").read_text())["samples"] == 0


def test_a_change_without_prompts_is_skipped_in_every_shard_and_the_merge(repo: Path) -> None:
    write(repo, {"README.md": "# Another\n"})
    shards(repo, 2)
    outcome = merge(repo)
    assert (outcome.code, outcome.out.split(":")[0]) == (0, "SKIPPED")
    assert not (repo / "merged").exists()
