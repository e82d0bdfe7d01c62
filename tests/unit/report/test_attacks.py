"""Every attack of the corpus on every surface that shows text: comment, summary, page, terminal, log, outputs."""

import io
from functools import cache
from pathlib import Path

import pytest
from rich.console import Console

from gate.action.runner_files import annotation
from gate.action.telling import Herald, Outcome, outputs
from gate.domain.record import RunRecord
from gate.errors import InputErrors, Problem
from gate.report import comment, preview, terminal
from tests.golden.hostile import hostile
from tests.support.attacks import Attack, attacks, biting, named
from tests.support.github_action import SUMMARY_LIMIT, parse_outputs
from tests.support.herald import herald
from tests.support.surfaces import Skeleton, commands, harm, in_browser, on_github, stacks

PLAIN = "word"
ROOM = 10_000_000
"""Characters: room for everything, so that a long attack leaves out nothing that a short one does not."""

SHOWN = [attack for attack in attacks() if not attack.read_as]


def filled(text: str) -> RunRecord:
    """A run in which all texts from outside are this one; two suites, and one case that fell."""
    run = hostile((text,))
    first, second = run.suites
    return run.model_copy(update={"suites": [first.model_copy(update={"cases": first.cases[:1]}), second]})


def commented(text: str) -> str:
    """A comment in which all texts from outside are this one."""
    name = text[:200]  # git and GitHub take no longer ones
    context = comment.Context("a" * 40, f"origin/{name}", "https://github.com/a/b/actions/runs/1", name, name)
    return comment.render(filled(text), context, limit=ROOM)


def printed(run: RunRecord, width: int = 80) -> str:
    out = io.StringIO()
    terminal.render(run, Console(file=out, width=width, force_terminal=False, _environ={}))
    return out.getvalue()


@cache
def plain_comments(blank: bool) -> tuple[Skeleton, ...]:
    """Comments of harmless texts; a name of two lines cannot be put into a command, so there is none to copy."""
    return tuple(on_github(commented(text)) for text in ((" ", "\n") if blank else (PLAIN, "two\nwords")))


@cache
def plain_pages() -> tuple[Skeleton, ...]:
    return tuple(in_browser(preview.render(filled(text))) for text in (PLAIN, "two\nwords"))


def teller_in(folder: Path) -> tuple[Herald, list[str]]:
    said: list[str] = []
    return herald(said.append, folder / "summary", folder / "outputs"), said


@pytest.mark.parametrize("attack", attacks(), ids=named)
def test_a_comment_keeps_its_shape(attack: Attack) -> None:
    assert on_github(commented(attack.encodable)) in plain_comments(blank=not attack.encodable.strip())


@pytest.mark.parametrize("attack", biting("page"), ids=named)
def test_a_page_keeps_its_shape(attack: Attack) -> None:
    page = preview.render(filled(attack.encodable))
    assert in_browser(page).tags in [plain.tags for plain in plain_pages()]
    assert stacks(page) == []


@pytest.mark.parametrize("attack", SHOWN, ids=named)
def test_a_terminal_gets_nothing_but_text(attack: Attack) -> None:
    text = printed(filled(attack.encodable))
    assert commands(text) == []
    # A colon of ours may follow one of theirs, within a line.
    assert [found for found in harm(text) if found != "::"] == []


@pytest.mark.parametrize("attack", attacks(), ids=named)
def test_a_log_has_only_our_commands_and_outputs_their_values(attack: Attack, tmp_path: Path) -> None:
    text = attack.encodable
    run = filled(text)
    teller, said = teller_in(tmp_path)
    teller.warn(text)
    mistakes = InputErrors([Problem(text, 3, text, text), Problem(f"/{text}", 3, text, text)])
    teller.annotate(Outcome(run, mistakes))
    teller.annotate(Outcome(run))
    assert commands("\n".join(said)) == said
    assert len(said) == 4
    for line in said:
        head, _, data = line.removeprefix("::").partition("::")
        assert head.partition(" ")[0] in ("warning", "error")
        assert harm(data) == []
        # A line that begins with two colons is read to its end as that command, whatever the name of a file holds.
        assert [found for found in harm(head) if not found.startswith("##")] == []
    teller.outputs(run, "", text)
    assert parse_outputs((tmp_path / "outputs").read_bytes().decode()) == outputs(run, "", text)


@pytest.mark.parametrize("kind", sorted({attack.kind for attack in attacks()}))
def test_a_summary_keeps_its_shape(kind: str, tmp_path: Path) -> None:
    texts = [attack.encodable[:5_000] for attack in attacks() if attack.kind == kind and attack.encodable.strip()]
    summaries = []
    for name, shown in (("bad", texts), ("good", [PLAIN] * len(texts)), ("split", ["two\nwords"] * len(texts))):
        (tmp_path / name).mkdir()
        teller, _ = teller_in(tmp_path / name)
        for text in shown:
            teller.warn(text)
        teller.summary(hostile(tuple(shown[:16])))
        summaries.append((tmp_path / name / "summary").read_text(encoding="utf-8"))
    bad, *good = map(on_github, summaries)
    assert bad in good
    assert all(len(summary.encode()) <= SUMMARY_LIMIT for summary in summaries)


@pytest.mark.parametrize("attack", [attack for attack in attacks() if attack.kind == "secrets"], ids=named)
def test_a_secret_is_never_shown(attack: Attack) -> None:
    core = attack.core.strip()
    run = filled(attack.text)
    for shown in (commented(attack.text), preview.render(run), printed(run, 200), annotation("error", attack.text)):
        assert core[:16] not in shown
        assert core[-16:] not in shown
