"""What is pasted into a shell is one command, whatever the names in it are."""

import shlex

import pytest

from gate.report.escape import code_block, code_span, shell_command


@pytest.mark.parametrize("name", ["a b", "$(x)", "`x`", "x'; y #", "é", "a;b", "-x", "#12 @you", "*", "~"])
def test_every_name_is_one_word(name: str) -> None:
    words = ["gate", "explain", name]
    found = shell_command(words, 200)
    assert shlex.split(found) == words
    assert found in code_span(found) and found in code_block(found)


@pytest.mark.parametrize("name", ["-----BEGIN PRIVATE KEY----- ' $(x)", "' sk-aaaaaaaaaaaaaaaaaaa1 $(x)"])
def test_a_key_takes_no_quote_with_it(name: str) -> None:
    found = code_span(shell_command(["gate", name, "$(y)"], 200)).strip("`")
    assert "key⟩" in found
    assert shlex.split(found)[-1] == "$(y)"


@pytest.mark.parametrize("name", ["a\u202eb", "e" + "\u0301" * 9, "a\nb", "<!-- x", "x" * 200])
def test_what_a_report_would_show_otherwise_is_no_command(name: str) -> None:
    assert shell_command(["gate", name, "rest"], 200) == ""
