"""The corpus is complete, and an attack that is shown as it is is noticed."""

import re
from collections.abc import Callable
from urllib.parse import unquote

import pytest
from markdown_it import MarkdownIt

from tests.support.attacks import FOLDER, READ_AS, SHOWN_ON, Attack, attacks, biting
from tests.support.github_action import parse_outputs
from tests.support.rendering import harm, in_browser, on_github

KINDS = {
    *("mentions", "references", "html", "links", "fences", "structure", "markers", "unicode", "terminal", "workflow"),
    *("outputs", "secrets", "bulk", "templates", "configurations", "cases", "prompts", "paths", "patterns", "judge"),
}


def test_the_corpus_is_complete() -> None:
    every = attacks()
    assert len(every) >= 150
    assert len({attack.id for attack in every}) == len(every)
    assert len({attack.text for attack in every}) == len(every)
    assert {attack.kind for attack in every} == KINDS
    assert {attack.read_as for attack in every} == {"", *READ_AS}
    assert all(attack.tries and attack.text for attack in every)
    assert {surface for attack in every for surface in attack.bites} == set(SHOWN_ON)


def test_the_files_are_harmless_themselves() -> None:
    for file in FOLDER.glob("*.yaml"):
        assert re.fullmatch(r"[\n -~]+", file.read_text(encoding="ascii")), file.name
        assert not re.search(r"(gh[ps]_|sk-|AKIA|xoxb-|glpat-)\w{12}", file.read_text(encoding="ascii")), file.name


def naive(text: str) -> str:
    """A report by somebody who escapes nothing."""
    return (
        f"## Prompt Gate: BLOCK: {text}\n\n- {text}\n\n{text}\n\n| slice | state |\n|---|---|\n"
        f"| {text} | `{text}` |\n\n"
        f"<details>\n<summary><b>{text}</b></summary>\n\n```text\n{text}\n```\n\n</details>\n\n- {text}\n"
    )


def harmless_on(surface: str, harmed: Callable[[Attack], object]) -> list[str]:
    """Attacks that are said to harm a surface, and do not; that a secret is shown is harm enough."""
    return [one.id for one in biting(surface) if one.kind != "secrets" and not harmed(one)]


def test_a_comment_that_shows_it_is_not_as_it_was() -> None:
    plain = on_github(naive("word"))
    assert harmless_on("markdown", lambda attack: on_github(naive(attack.encodable)) != plain) == []
    secrets = [attack for attack in biting("markdown") if attack.kind == "secrets"]
    assert [attack.id for attack in secrets if attack.core.strip()[:16] not in naive(attack.text)] == []


def test_a_page_that_shows_it_is_not_as_it_was() -> None:
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    plain = in_browser(parser.render(naive("word")))
    assert harmless_on("page", lambda attack: in_browser(parser.render(naive(attack.encodable))) != plain) == []


def test_a_terminal_that_is_sent_it_is_harmed() -> None:
    assert harmless_on("terminal", lambda attack: harm(f"a\n{attack.text}\nb")) == []


def test_a_log_that_holds_it_is_harmed() -> None:
    """At the beginning of a line, also behind a colon that stands there, and where coded line ends are read."""
    assert harmless_on("log", lambda attack: harm(f":{attack.text}\n{unquote(attack.text)}\nb")) == []


def changed(form: str, attack: Attack) -> bool:
    try:
        return parse_outputs(form.format(attack.text)) != {"worst-slice": attack.text}
    except ValueError:
        return True


@pytest.mark.parametrize(
    "form", ["worst-slice={}\n", "worst-slice<<EOF\n{}\nEOF\n", "worst-slice<<ghadelimiter_0\n{}\nghadelimiter_0\n"]
)
def test_outputs_that_are_written_plainly_are_not_what_they_were(form: str) -> None:
    assert [attack.id for attack in biting("outputs") if not changed(form, attack)] == []
