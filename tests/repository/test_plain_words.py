"""README, documentation and help stay short, easy to read, and in the usual words."""

import re
from collections.abc import Iterator
from pathlib import Path

import click

from gate.cli.app import cli
from tests.support.docsite.prose import prose, reading_ease

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
DOCS = ROOT / "docs"
PAGES = [README, *sorted(DOCS.rglob("*.md"))]
EASY = [README, *sorted((DOCS / "how-to").glob("*.md"))]
WORDS = re.compile(
    r"\b(?:mend(?:s|ed|ing|ings)?|anew|exams?|sittings?|told|outlay|besides?|strangers?|mistakes?|wavers|beyond doubt|"
    r"who (?:answers|judges|extracts)|carr(?:y|ies) the fall|held against)\b",
    re.IGNORECASE,
)
"""Say instead: fix, again, eval set, run, reported, cost, next to, untrusted, error, flaky, significant, model."""
EXPLAIN_EXAM = {"explanation.md", "glossary.md", "architecture.md", "reference/run-json.md"}
"""Pages that explain the identifier `exam` of the code and of run.json."""


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def helps(command: click.Command, path: str = "gate") -> Iterator[tuple[str, str]]:
    """The help of a command and of all commands below it."""
    yield path, command.get_help(click.Context(command, info_name=path))
    for sub, one in sorted(command.commands.items()) if isinstance(command, click.Group) else ():
        yield from helps(one, f"{path} {sub}")


def test_the_readme_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 150


def test_every_page_is_easy_to_read() -> None:
    ease = {name(path): (reading_ease(path.read_text(encoding="utf-8")), 50 if path in EASY else 40) for path in PAGES}
    assert {page: found for page, (found, least) in ease.items() if found < least} == {}


def unusual(path: Path) -> set[str]:
    text = path.read_text(encoding="utf-8")
    tables = "\n".join(re.sub(r"`[^`]*`", "", line) for line in text.splitlines() if line.startswith("|"))
    found = {word.lower() for word in WORDS.findall(f"{prose(text)}\n{tables}")}
    if path.is_relative_to(DOCS) and path.relative_to(DOCS).as_posix() in EXPLAIN_EXAM:
        found -= {"exam"}
    return found


def test_every_page_and_every_help_has_the_usual_words() -> None:
    assert {name(path): words for path in PAGES if (words := unusual(path))} == {}
    assert {path: words for path, text in helps(cli) if (words := WORDS.findall(text))} == {}


def test_prose_is_the_running_text() -> None:
    page = (
        "# Title\n\nOne [link](a.md) to `code`, in 2.5 s.\nSame sentence?\n\n"
        "| a | b |\n|---|---|\n| not | read |\n\n- an item\n- another;\n\n```sh\nnot read\n```\n<!-- nor this -->\n"
    )
    assert prose(page) == "One link to x, in 25 s. Same sentence?\nan item.\nanother."


def test_hard_prose_is_seen() -> None:
    hard = (
        "Notwithstanding aforementioned methodological considerations, heterogeneous characterisations of statistical "
        "significance necessitate comprehensive recalibration, particularly whenever organisational responsibilities "
        "simultaneously encompass interdependent evaluation infrastructures, administrative authorisations, "
        "computational prerequisites, intercontinental telecommunications regulations and internationally "
        "standardised documentation requirements."
    )
    easy = "The gate runs both prompts. It compares the scores. " * 10
    assert reading_ease(hard) < 0 < 70 < reading_ease(easy)
