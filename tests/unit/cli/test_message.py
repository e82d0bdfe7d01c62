from gate.cli.app import SHOWN, message
from gate.errors import GateError, InputErrors, Interrupted, Problem


def test_message_and_hint() -> None:
    assert message(GateError("no such ref", "git fetch")) == "error: no such ref\n  hint: git fetch"


def test_every_problem_is_on_its_own_line_in_order() -> None:
    problems = [Problem("b.md", 2, "two"), Problem("a.md", 0, "whole file", "mend it"), Problem("b.md", 1, "one")]
    assert message(InputErrors(problems)).splitlines() == [
        "error: a.md: whole file",
        "  hint: mend it",
        "error: b.md:1: one",
        "error: b.md:2: two",
    ]


def test_a_flood_is_counted() -> None:
    text = message(InputErrors([Problem("a", line, "bad") for line in range(1, SHOWN + 6)]))
    assert text.endswith("and 5 more")
    assert text.count("error:") == SHOWN


def test_a_terminal_obeys_nothing_from_a_file() -> None:
    assert "\x1b" not in message(GateError("bad \x1b[31m key \x9b \u202e"))
    assert "\u202e" not in message(GateError("bad \u202e"))


def test_an_interruption_is_no_error() -> None:
    assert message(Interrupted("interrupted; 3 samples")) == "interrupted; 3 samples"


def test_a_line_break_in_a_name_starts_no_line() -> None:
    text = message(InputErrors([Problem("x\n::error::pwned", 1, "bad\n::error::two")]))
    assert len(text.splitlines()) == 1
