import json
from dataclasses import replace
from pathlib import Path

import pytest

from gate.errors import GateError
from gate.record.transcript import ArmName, Failed, Reply, Sample, Score, Unscored
from gate.store.run_folder import RunFolder, dump_run, load_run, samples_of
from tests.golden.runs import runs
from tests.support.runs import reply

SAMPLE = Sample("s", "c", ArmName.BASELINE, 0, reply(), (Score("exact", 1.0, "is right"),), 1.0)


def folder(path: Path) -> RunFolder:
    return RunFolder(path, {"report.md": lambda run: f"{run.verdict}\n"})


def text_of(kept: RunFolder, place: int) -> str:
    answer = kept.read(place).reply
    assert isinstance(answer, Reply)
    return answer.text


def test_nothing_is_made_before_the_first_sample(tmp_path: Path) -> None:
    folder(tmp_path / "out").close()
    assert list(tmp_path.iterdir()) == []


def test_a_sample_is_written_immediately(tmp_path: Path) -> None:
    kept = folder(tmp_path / "out")
    kept.sample(SAMPLE)
    row = json.loads((tmp_path / "out/samples.jsonl").read_text())
    assert (row["case"], row["arm"], row["score"], row["reply"]["text"]) == ("c", "baseline", 1.0, "yes")
    assert row["reply"]["usage"] == {
        "input_tokens": 20,
        "cache_read_tokens": 0,
        "cache_write_tokens": 0,
        "output_tokens": 3,
    }
    assert row["reply"]["origin"] == {"sitting": "", "at": 0.0, "reused": False}
    assert row["warmup"] is False
    kept.sample(replace(SAMPLE, index=1, reply=Failed("503", 6), scores=(), score=Unscored("503")))
    second = json.loads((tmp_path / "out/samples.jsonl").read_text().splitlines()[1])
    assert (second["reply"]["reason"], second["reply"]["attempts"], second["score"]) == ("503", 6, {"reason": "503"})
    assert kept.kept == 2
    kept.close()


def test_half_a_surrogate_pair_is_written_and_read_back(tmp_path: Path) -> None:
    kept = folder(tmp_path / "out")
    half = (Score("exact", 0.0, "is not \ud83d"),)
    first = replace(SAMPLE, reply=replace(reply(), text="an ü"), scores=half)
    places = [kept.sample(first), kept.sample(SAMPLE)]
    kept.close()
    assert [kept.read(place) for place in places] == [first, SAMPLE]


def test_concurrent_runs_in_one_folder_keep_separate_samples(tmp_path: Path) -> None:
    first, second = folder(tmp_path), folder(tmp_path)
    mine = first.sample(replace(SAMPLE, reply=replace(reply(), text="first " * 20_000)))
    second.clear()
    others = second.sample(replace(SAMPLE, reply=replace(reply(), text="second")))
    mine_too = first.sample(SAMPLE)
    assert [text_of(first, place) for place in (mine, mine_too)] == ["first " * 20_000, "yes"]
    assert text_of(second, others) == "second"
    ship, block = runs()["ship"], runs()["block"]
    for kept, run, texts in ((first, ship, ["first " * 20_000, "yes"]), (second, block, ["second"])):
        kept.run(run)
        # Whoever ends last has the folder, record and samples together.
        assert load_run(tmp_path) == run
        assert [sample.reply.text for sample in samples_of(tmp_path) if isinstance(sample.reply, Reply)] == texts
    first.close()
    second.close()
    assert {path.name for path in tmp_path.iterdir()} == {"run.json", "samples.jsonl", "report.md"}


@pytest.mark.parametrize("name", ["block", "agents", "check-block", "override-run"])
def test_a_run_is_read_as_it_was_written(tmp_path: Path, name: str) -> None:
    run = runs()[name]
    folder(tmp_path).run(run)
    assert load_run(tmp_path) == run
    assert (tmp_path / "run.json").read_text() == dump_run(run)
    assert (tmp_path / "report.md").exists()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": "prompt-gate/run/1"}', '{"schema": 3}', "[" * 100_000])
def test_files_that_are_not_runs_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(GateError):
        load_run(tmp_path)
