"""Every attack of the corpus on every surface that shows text: comment, summary, page, terminal, log, outputs.

Attacks are shown several at a time, each in the lists of a run and in its slices and answers, and some of them in each
other field; where a batch fails, those that fail alone are named. Each output is tried with those that would harm it as
they are; the comment also with some of the others, the page with every other one.
"""

import io
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from gate.action.outcome import ActionOutcome, annotations, report_outcome, step_outputs, write_outputs
from gate.cli.output import LogStream
from gate.errors import InputErrors, Problem
from gate.record.run import RunRecord
from gate.report.exports.sarif import annotation_command
from gate.report.markdown import preview, report
from gate.report.terminal import report as terminal
from tests.golden.hostile import hostile
from tests.support.action_job import action_job
from tests.support.attacks import Attack, attacks, batches
from tests.support.github_action import SUMMARY_LIMIT, parse_outputs
from tests.support.rendering import Skeleton, commands, harm, in_browser, on_github, stacks

ROOM = 10_000_000
"""Characters: room for everything, so that a long attack leaves out nothing that a short one does not."""

Texts = tuple[str, ...]
Batch = tuple[Attack, ...]
BITING = [batch for batch in batches() if any("markdown" in attack.bites for attack in batch)]
OTHERS = [attack for batch in batches() if batch not in BITING for attack in batch]
BATCHES = [pytest.param(batch, id=batch[0].kind) for batch in BITING]
BATCHES += [pytest.param(tuple(OTHERS[::4]), id="others")]
SECRETS = [attack for attack in attacks() if attack.kind == "secrets"]


def biting(*surfaces: str) -> Any:
    """With the kinds that would harm one of these outputs."""
    kinds = [batch for batch in batches() if any(attack.bites & {*surfaces} for attack in batch)]
    return pytest.mark.parametrize("batch", kinds, ids=[batch[0].kind for batch in kinds])


ON_PAGES = [attack for attack in attacks() if "page" in attack.bites]


def texts(batch: Batch) -> Texts:
    return tuple(attack.encodable for attack in batch)


def harmless(shown: Texts) -> Texts:
    """Texts without guile; two lines stand for what cannot be put into a command to copy, as they cannot either."""
    return tuple(_harmless(text, number) for number, text in enumerate(shown))


def _harmless(text: str, number: int) -> str:
    if not text.strip():
        return " " * (number + 1)
    return f"word{number}" if text.isprintable() and len(text) < 300 else f"two\nwords{number}"


def filled(shown: Texts) -> RunRecord:
    """A run in which all texts from outside are these; two suites, and one case that fell."""
    run = hostile(shown)
    first, second = run.suites
    return run.model_copy(update={"suites": [first.model_copy(update={"cases": first.cases[:1]}), second]})


def commented(shown: Texts) -> str:
    """A comment in which all texts from outside are these."""
    first, second = shown[0][:200], shown[-1][:200]  # git and GitHub take no longer names
    context = report.CommentContext("a" * 40, f"origin/{first}", "https://github.com/a/b/actions/runs/1", first, second)
    return report.render_comment(filled(shown), context, limit=ROOM)


def printed(run: RunRecord, width: int = 80) -> str:
    out = io.StringIO()
    terminal.render_report(run, Console(file=LogStream(out), width=width, force_terminal=False, _environ={}))
    return out.getvalue()


def failing(batch: Batch, holds: Callable[[Texts], bool]) -> str:
    """What a test says that failed: which attacks do so alone, if any."""
    alone = [attack.id for attack in batch if not holds((attack.encodable,))]
    return f"{[attack.id for attack in batch]} fail together, and alone {alone}"


@cache
def plain_comment(shown: Texts) -> Skeleton:
    return on_github(commented(shown))


@cache
def plain_page(shown: Texts) -> Skeleton:
    return in_browser(preview.preview_body(filled(shown), limit=ROOM))


def comment_keeps_its_shape(shown: Texts) -> bool:
    return on_github(commented(shown)) == plain_comment(harmless(shown))


def page_keeps_its_shape(shown: Texts) -> bool:
    page = preview.preview_body(filled(shown), limit=ROOM)
    return in_browser(page).tags == plain_page(harmless(shown)).tags and stacks(page) == []


def terminal_gets_text(shown: Texts) -> bool:
    text = printed(filled(shown))
    return harm(text) == []


@pytest.mark.threat("markdown")
@pytest.mark.parametrize("batch", BATCHES)
def test_a_comment_keeps_its_shape(batch: Batch) -> None:
    assert comment_keeps_its_shape(texts(batch)), failing(batch, comment_keeps_its_shape)


@pytest.mark.threat("markdown")
def test_a_page_keeps_its_shape() -> None:
    """Of all kinds together, on two pages: a page is a comment, which is shown each kind alone."""
    for batch in (tuple(ON_PAGES[::2]), tuple(ON_PAGES[1::2])):
        assert page_keeps_its_shape(texts(batch)), failing(batch, page_keeps_its_shape)


@biting("terminal", "log", "outputs")
def test_a_terminal_gets_nothing_but_text(batch: Batch) -> None:
    assert terminal_gets_text(texts(batch)), failing(batch, terminal_gets_text)


@pytest.mark.threat("workflow-command")
@biting("log", "outputs")
def test_a_log_has_only_our_commands_and_outputs_their_values(batch: Batch, tmp_path: Path) -> None:
    for attack in batch:
        folder = tmp_path / attack.id
        folder.mkdir()
        text = attack.encodable
        run = filled((text,))
        said: list[str] = []
        action_job(said.append).warn(text)
        mistakes = InputErrors([Problem(text, 3, text, text), Problem(f"/{text}", 3, text, text)])
        said += [*annotations(ActionOutcome(run, mistakes)), *annotations(ActionOutcome(run))]
        assert commands("\n".join(said)) == said, attack.id
        assert len(said) == 4, attack.id
        for line in said:
            head, _, data = line.removeprefix("::").partition("::")
            assert head.partition(" ")[0] in ("warning", "error"), attack.id
            assert harm(data) == [], attack.id
            # A line that begins with two colons is read to its end as that command, whatever the name of a file holds.
            assert [found for found in harm(head) if not found.startswith("##")] == [], attack.id
        outputs = step_outputs(run, "", text)
        write_outputs(folder / "outputs", outputs)
        assert parse_outputs((folder / "outputs").read_bytes().decode()) == outputs, attack.id


@pytest.mark.parametrize("batch", BATCHES[1::6])
def test_a_summary_keeps_its_shape(batch: Batch, tmp_path: Path) -> None:
    """It is a comment without a limit of its own; that all kinds stay text is shown there."""
    bad = tuple(text[:5_000] for text in texts(batch) if text.strip())
    summaries = []
    for name, shown in (("bad", bad), ("good", harmless(bad))):
        (tmp_path / name).mkdir()
        job = action_job(lambda line: None, tmp_path / name / "summary")
        for text in shown:
            job.warn(text)
        report_outcome(ActionOutcome(hostile(shown)), None, None, job)
        summaries.append((tmp_path / name / "summary").read_text(encoding="utf-8"))
    found, plain = map(on_github, summaries)
    assert found == plain
    assert all(len(summary.encode()) <= SUMMARY_LIMIT for summary in summaries)


@pytest.mark.threat("secret-shown")
@pytest.mark.parametrize("batch", [SECRETS[:1], SECRETS], ids=["one", "all"])
def test_a_secret_is_never_shown(batch: list[Attack]) -> None:
    all_texts = tuple(attack.text for attack in batch)
    run = filled(all_texts)
    shown = [commented(all_texts), preview.preview_body(run), printed(run, 200)]
    shown += [annotation_command("error", text) for text in all_texts]
    for attack in batch:
        core = attack.core.strip()
        assert not [place for place, text in enumerate(shown) if core[:16] in text or core[-16:] in text], attack.id
