"""Our measure of similarity beside git's own."""

import random
from pathlib import Path

import pytest

from gate.prompts.files import chunks, similarity
from tests.git.repository import commit, git, repository


def rewritten(seed: int) -> tuple[bytes, bytes]:
    """A text of some lines, short and long, and the same with some of them replaced, moved, added or dropped."""
    rng = random.Random(seed)

    def line() -> str:
        return " ".join(str(rng.randrange(1000)) for _ in range(rng.choice([2, 8, 40]))) + "\n"

    old = [line() for _ in range(rng.randrange(5, 40))]
    new = [line() if rng.random() < 0.3 else text for text in old if rng.random() < 0.9]
    if seed % 2:
        rng.shuffle(new)
    new += [line() for _ in range(rng.randrange(4))]
    return "".join(old).encode(), "".join(new).encode()


@pytest.mark.parametrize("seed", range(4))
def test_git_says_the_same(tmp_path: Path, seed: int) -> None:
    folder = repository(tmp_path / "repo")
    old, new = rewritten(seed)
    commit(folder, {"old.md": old.decode()})
    (folder / "old.md").unlink()
    commit(folder, {"new.md": new.decode()})
    kind = git(folder, "diff", "--name-status", "--find-renames=1%", "HEAD~1", "HEAD").split("\t")[0]
    found = similarity(chunks(old), chunks(new))
    assert kind == f"R{int(found * 100):03}"
