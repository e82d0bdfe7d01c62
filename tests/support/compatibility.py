"""Records what this version writes, for all later ones to read: `python -m tests.support.compatibility`.

It goes to tests/data/compatibility/VERSION, before the version is released; see docs/how-to/release.md. What has not
changed since it was last recorded is left as it is.
"""

import gzip
import json
import shutil
import tempfile
from pathlib import Path

from gate.domain.absence import Failed, Unscored
from gate.domain.judge_calibration import dump
from gate.domain.sample import ArmName, Origin, Part, Reply, Sample, Score
from gate.domain.transcript import ToolUse, Transcript, Turn
from gate.domain.usage import Dollars, Effort, Unpriced, Usage
from gate.domain.words import counted
from gate.store.run_folder import dump_run, sample_line
from tests.golden.runs import runs
from tests.support import labelled, wheels
from tests.support.command import gate, git
from tests.support.public_names import dump as dump_names
from tests.support.public_names import public_names

FOLDER = wheels.ROOT / "tests/data/compatibility"
RUNS = (
    *("advisory-mistakes", "agents", "block", "check-block", "check-rubric", "deleted", "exam-only", "judged"),
    *("lost-pairs", "margin", "mistakes", "new-beside", "new-block", "no-key", "override-run", "percentile"),
    *("promises", "reused", "several-suites", "skipped-override", "unanswered", "unfinished"),
)
"""Hand-built runs that between them fill almost every field of a record."""
CARRIED_OUT = (
    *("run/run.json", "run/samples.jsonl", "calibration/run.json", "calibration/calibration.json"),
    "store.jsonl.gz",
)
"""Of real runs, whose times and commits are others every time."""
FILES = ("names.json", "judge-calibration.json", "odd-samples.jsonl", "store.jsonl.gz", "calibration", "run", "runs")
"""What is recorded; the rest of a folder is written by hand."""
CONFIG = """\
version: 1
defaults: {model: "fake:oracle", samples: 2}
suites:
  - name: support
    prompt: prompt.md
    cases: cases.jsonl
    slices: [tier]
    scorers: [{exact: {value: "{{ expected }}"}}]
"""


def odd_samples() -> list[Sample]:
    """Samples such as a run without a model does not have: failed, unscored, of a jury, of a conversation, reused."""
    usage, origin = Usage(1200, 1024, 0, 40), Origin("s1", 1_795_426_200.0, True)
    uses = (
        ToolUse("get_listings", '{"city": "Austin"}', "[]", False, 0.25),
        ToolUse("book", "{", "no JSON", True, None),
    )
    turns = (Turn(0, "Hi.", "case", "Which city?", uses), Turn(0, "Austin.", "follow-up", "None there.", ()))
    effort = Effort(3, 1, 0, Dollars(0.02), 1, Unpriced("unknown"))
    talk = Reply(
        "None there.", "m-1", usage, Dollars(0.02), 1.5, 2, "stop", origin, (), Transcript("s-9", turns), effort
    )
    parts = (Part("judge", "openai:gpt-5", 1.0, 1.0, ""), Part("judge", "anthropic:claude-opus-4-5", 0.5, 1.0, "Curt."))
    jury = Score("jury", 0.75, "Curt.", 2.0, True, 2, 1, Dollars(0.001), 0, parts)
    none = Score("judge", Unscored("the reply is not the asked form"), "", 1.0)
    local = Reply("", "local", Usage(5, 0, 0, 0), Unpriced("n/a"), None, 1, "length", Origin("s2", 0.0, False))
    failed = Failed("503: overloaded", 4)
    return [
        Sample("property", "two", ArmName.CANDIDATE, 1, talk, (jury,), 0.75),
        Sample("property", "two", ArmName.BASELINE, 0, failed, (), Unscored("no answer")),
        Sample("support", "a", ArmName.BASELINE, 0, local, (none,), Unscored("no score"), warmup=True),
    ]


def record(folder: Path) -> None:
    """Write all that is recorded.

    Args:
        folder: of this version.
    """
    (folder / "runs").mkdir(parents=True)
    for name in RUNS:
        (folder / "runs" / f"{name}.json").write_text(dump_run(runs()[name]), encoding="utf-8")
    (folder / "odd-samples.jsonl").write_bytes(b"".join(sample_line(one) for one in odd_samples()))
    (folder / "names.json").write_text(dump_names(public_names()), encoding="utf-8")
    said = labelled.judged(20, 2, lambda place, index: float(place % 3 > 0))
    labels = labelled.labels([[float(place % 2)] for place in range(20)])
    (folder / "judge-calibration.json").write_text(
        dump(labelled.calibration(labels, said, repeats=2)), encoding="utf-8"
    )
    with tempfile.TemporaryDirectory() as empty:
        _run(Path(empty))
        for kept in CARRIED_OUT:
            (folder / kept).parent.mkdir(exist_ok=True)
            shutil.copy(Path(empty) / kept, folder / kept)
    (folder / "store.jsonl.gz").chmod(0o644)


def replace(folder: Path, made: Path) -> list[str]:
    """Put what was recorded now in the place of what was before, where the two differ.

    Args:
        folder: of this version.
        made: recorded now.

    Returns:
        The files that differ, or are gone.
    """
    old, new = _recorded(folder), _recorded(made)
    for name in old.keys() - new.keys():
        old[name].unlink()
    other = [name for name, path in new.items() if name not in old or not _alike(name, old[name], path)]
    for name in other:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(new[name], folder / name)
    return sorted([*other, *(old.keys() - new.keys())])


def _recorded(folder: Path) -> dict[str, Path]:
    paths = [path for name in FILES for path in (folder / name, *(folder / name).rglob("*")) if path.is_file()]
    return {path.relative_to(folder).as_posix(): path for path in paths}


def _alike(name: str, old: Path, new: Path) -> bool:
    return old.read_bytes() == new.read_bytes() or name in CARRIED_OUT and _fields(old) == _fields(new)


def _fields(path: Path) -> str:
    """The fields of a file, and what kind of value stands in each."""
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")
    return _kind(json.loads(text) if path.suffix == ".json" else [json.loads(line) for line in text.splitlines()])


def _kind(value: object, key: str = "") -> str:
    if isinstance(value, dict):
        return f"{{{','.join(f'{name}:{_kind(inner, name)}' for name, inner in value.items())}}}"
    if isinstance(value, list):
        return f"[{','.join(sorted(set(map(_kind, value))))}]"
    if key == "schema":
        return str(value)
    return "number" if isinstance(value, int | float) and not isinstance(value, bool) else type(value).__name__


def _run(root: Path) -> None:
    """A comparison, a calibration, and a store that holds the run and its cases."""
    tiers = [("gold", "free")[n % 2] for n in range(24)]
    rows = [
        {"id": f"c{n}", "input": f"slice={tier} answer=yes {n}", "expected": "yes", "slices": {"tier": tier}}
        for n, tier in enumerate(tiers)
    ]
    (root / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (root / "prompt.md").write_text("Help. quality=1.0")
    (root / "gate.yaml").write_text(CONFIG)
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "First")
    (root / "prompt.md").write_text("Help. quality=1.0 quality[gold]=0.2")
    for words in (
        ("diff", "--base", "main", "--out", "run"),
        ("calibrate", "--out", "calibration"),
        ("push", "run"),
        ("cases", "import", "cases.jsonl", "store:support", "--person", "Ann"),
        ("store", "backup", "store.jsonl.gz"),
    ):
        done = gate(*words, cwd=root)
        if done.code not in (0, 1):
            raise RuntimeError(f"gate {' '.join(words)}: {done.out}{done.err}")


def main() -> None:
    folder = FOLDER / wheels.project()["version"]
    with tempfile.TemporaryDirectory() as made:
        record(Path(made))
        changed = replace(folder, Path(made))
    for name in changed:
        print(name)
    print(f"{folder}: {counted(len(changed), 'file')} changed; gate.yaml and the case files are written by hand.")


if __name__ == "__main__":
    main()
