"""The page `start.md` shows the output and the files of `gate init`."""

import re
from pathlib import Path

from tests.support.command import gate
from tests.support.repository import make

PAGE = (Path(__file__).parents[3] / "docs/how-to/start.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def test_the_page_shows_what_happens(tmp_path: Path) -> None:
    said, prompt = blocks("text")
    root = make(tmp_path / "shop", {"prompts/support.md": prompt})
    done = gate("init", cwd=root)
    assert done.out.startswith(said)
    (scorers,) = blocks("yaml")
    written = (root / "gate.yaml").read_text(encoding="utf-8")
    assert "".join(f"    {line}\n" for line in scorers.splitlines()) in written
    for command in ("gate init", "gate validate", "gate diff --base main"):
        assert f"{command}\n" in blocks("sh")
    assert "gate diff --base main\n" in done.out


def test_every_option_that_it_names_exists(tmp_path: Path) -> None:
    helped = "".join(gate(name, "--help", cwd=tmp_path).out for name in ("init", "schema", "diff", "validate"))
    for option in set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", PAGE)):
        assert option in helped, option
