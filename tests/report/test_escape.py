"""Text from strangers stays text."""

import re
import shlex
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from gate.record.transcript import masked
from gate.report import escape
from gate.report.escape import code_block, code_span, html_text, markdown_text, shell_command, terminal_text, visible
from tests.golden.hostile import ATTACKS
from tests.report.reading import html, kinds, running_text, tokens
from tests.support.attacks import attacks

FORBIDDEN = {
    "link_open",
    "image",
    "html_inline",
    "html_block",
    "em_open",
    "strong_open",
    "s_open",
    "code_inline",
    "heading_open",
    "hr",
    "bullet_list_open",
    "ordered_list_open",
    "blockquote_open",
    "fence",
    "code_block",
    "table_open",
}
HOSTILE = st.one_of(
    st.sampled_from(ATTACKS),
    st.text(),
    st.text(alphabet="`~<>@#![]()*_|\\/:-+=.&;$ \n\tab1\u202e\u200b\x1b"),
    st.lists(st.sampled_from([*ATTACKS, "`", "```", "|", "\\", "\n", "@", "#1", "<!--", "-->"])).map("".join),
)


@given(HOSTILE)
def test_running_text_is_only_text(text: str) -> None:
    shown = escape.markdown_text(text)
    assert "\n" not in shown
    assert not FORBIDDEN & set(kinds(shown))
    assert not FORBIDDEN & set(kinds(f"## {shown}")) - {"heading_open"}
    assert not FORBIDDEN & set(kinds(f"- {shown}")) - {"bullet_list_open"}


@given(HOSTILE)
def test_running_text_reads_as_it_was_written(text: str) -> None:
    read = running_text(f"x{escape.markdown_text(text)}").replace("\u200b", "").replace("\n", "")
    assert read == f"x{escape.one_line(text)}"


@given(HOSTILE)
def test_running_text_triggers_nothing_on_github(text: str) -> None:
    read = running_text(escape.markdown_text(text))
    assert not re.search(r"@\w", read)
    assert not re.search(r"#\d", read)
    assert not re.search(r"(?i)\bgh-\d", read)
    assert "://" not in read
    assert not re.search(r"(?i)www\.", read)
    assert not re.search(r"(?i)\b[0-9a-f]{7,40}\b", read)
    assert "<!--" not in escape.markdown_text(text)


@given(HOSTILE, HOSTILE)
def test_a_table_cell_stays_one_cell(one: str, two: str) -> None:
    found = tokens(f"| a | b |\n|---|---|\n| {escape.markdown_text(one)} | {escape.markdown_text(two)} |\n")
    assert [token.type for token in found].count("td_open") == 2
    assert [token.type for token in found].count("tr_open") == 2


@given(HOSTILE)
def test_a_code_span_holds_everything(text: str) -> None:
    found = [token for token in tokens(f"x {escape.code_span(text)} y") if token.type in FORBIDDEN]
    assert [token.type for token in found] == ["code_inline"]
    read = found[0].content.replace("<!\u200b--", "<!--")
    assert read.strip() == escape.one_line(text).strip()


@given(HOSTILE)
def test_a_fence_holds_everything(text: str) -> None:
    document = f"<details>\n\n{escape.code_block(text)}\n\nafter\n\n</details>\n"
    found = [token for token in tokens(document) if token.type in FORBIDDEN]
    assert [token.type for token in found] == ["html_block", "fence", "html_block"]
    assert found[1].content.replace("<!\u200b--", "<!--").rstrip("\n") == escape.visible(text).rstrip("\n")
    assert "after" in running_text(document)


@given(HOSTILE)
def test_no_hidden_marker_can_be_forged_anywhere(text: str) -> None:
    assert "<!--" not in escape.code_block(text)
    assert "<!--" not in escape.code_span(text)
    assert "<!--" not in escape.html_text(text)


@given(HOSTILE)
def test_html_text_has_no_tags_and_no_triggers(text: str) -> None:
    document = f"<details>\n<summary>{escape.html_text(text)}</summary>\n\n</details>"
    assert re.findall(r"<[^>]*>", html(document)) == ["<details>", "<summary>", "</summary>", "</details>"]
    assert not re.search(r"@\w", escape.html_text(text))


@given(HOSTILE)
def test_a_terminal_gets_no_codes_and_a_runner_no_commands(text: str) -> None:
    for shown in (escape.terminal_text(text), escape.terminal_text(text, lines=True)):
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown)
        assert not re.search(r"^\s*::", shown, re.MULTILINE)
        assert not re.search(r"##\w*\[", shown)
    assert "\n" not in escape.terminal_text(text)


@given(st.text(alphabet=st.characters()))
def test_visible_text_can_be_encoded_and_is_stable(text: str) -> None:
    shown = escape.visible(text)
    shown.encode("utf-8")
    assert escape.visible(shown) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[31mb", "a␛[31mb"),
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("a\x9bb\x7f", "a⟨U+009B⟩b␡"),
        ("a\ud800b", "a⟨U+D800⟩b"),
        ("a\r\nb\rc\u2028d", "a\nb\nc\nd"),
        ("👩\u200d🚀 ok", "👩\u200d🚀 ok"),
    ],
)
def test_visible(text: str, shown: str) -> None:
    assert escape.visible(text) == shown


def test_intervals_of_our_own_stay_readable_in_the_source() -> None:
    assert escape.markdown_text("−0.061 [−0.092, +0.010] 2.5 %") == "−0.061 [−0.092, +0.010] 2.5 %"
    assert (
        MarkdownIt("commonmark").render(escape.markdown_text("[1](x) [2][3] [4]: y")) == "<p>[1](x) [2][3] [4]: y</p>\n"
    )


def test_shorten_keeps_both_ends_and_counts() -> None:
    assert escape.shorten("a" * 10, 10) == "a" * 10
    assert escape.shorten("a" * 600 + "b" * 1900, 11) == "aaaaaa […2,489 characters left out…] bbbbb"


@pytest.mark.parametrize("box", ["[x]", "[X]", "- [x] done"])
def test_running_text_ticks_no_box(box: str) -> None:
    assert "[x]" not in escape.markdown_text(box).lower()


SECRETS = [attack for attack in attacks() if attack.kind == "secrets"]


@pytest.mark.parametrize("show", [visible, markdown_text, code_span, code_block, html_text, terminal_text])
def test_every_way_to_show_text_masks(show: Callable[[str], str]) -> None:
    for attack in SECRETS:
        shown = show(f"before {attack.text} after")
        assert attack.core.strip()[:12] not in shown, attack.id
        assert "before" in shown, attack.id
        assert "⟨" in shown, attack.id


@pytest.mark.parametrize(
    "text",
    [
        "the task-management-of-many-words-in-one-name",
        "sk-learn and scikit-learn-like-names-without-figures",
        "9c56cc51b374c3ba189210d5b6d4bf57790d351c96c47c02190ecf1e430635ab",
        "ghost_writer ghp_short AKIA hf_model eyJ",
        "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----",
        "the private key of success",
        "aws_secret_access_key is not set",
        "prompts/support.md",
    ],
)
def test_what_is_no_key_stays(text: str) -> None:
    assert masked(text) == text


def test_text_around_a_key_stays() -> None:
    assert masked("a ghp_" + "a1B2" * 9 + ", b") == "a ⟨GitHub token⟩, b"


@pytest.mark.threat("command-copied")
@pytest.mark.parametrize("name", ["a b", "$(x)", "`x`", "x'; y #", "é", "a;b", "-x", "#12 @you", "*", "~"])
def test_every_name_is_one_word(name: str) -> None:
    words = ["gate", "explain", name]
    found = shell_command(words, 200)
    assert shlex.split(found) == words
    assert found in code_span(found) and found in code_block(found)


@pytest.mark.threat("command-copied")
@pytest.mark.parametrize("name", ["-----BEGIN PRIVATE KEY----- ' $(x)", "' sk-aaaaaaaaaaaaaaaaaaa1 $(x)"])
def test_a_key_takes_no_quote_with_it(name: str) -> None:
    found = code_span(shell_command(["gate", name, "$(y)"], 200)).strip("`")
    assert "key⟩" in found
    assert shlex.split(found)[-1] == "$(y)"


@pytest.mark.parametrize("name", ["a\u202eb", "e" + "\u0301" * 9, "a\nb", "<!-- x", "x" * 200])
def test_what_a_report_would_show_otherwise_is_no_command(name: str) -> None:
    assert shell_command(["gate", name, "rest"], 200) == ""
