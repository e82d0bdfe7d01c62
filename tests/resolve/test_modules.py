"""Where functions go when their modules move."""

from gate.resolve.renames import Moves, prompt_moves
from tests.resolve.files import Files

BODY = "".join(f"# Rule {number} of the persona.\n" for number in range(30))
TWO = BODY + "def build(session): ...\ndef greet(session): ...\n"
BUILD, GREET = "python:bots.persona:build", "python:bots.persona:greet"


def moves(head: dict[str, str], new: list[str], gone: tuple[str, ...] = (BUILD,)) -> Moves:
    return prompt_moves(Files({"bots/persona.py": TWO}), Files(head), gone, new)


def test_functions_of_one_module_move_together() -> None:
    new = ["python:voice:greet", "python:voice:build"]
    found = moves({"voice.py": TWO + "# more\n"}, new, (BUILD, GREET)).found
    assert found == {BUILD: "python:voice:build", GREET: "python:voice:greet"}


def test_a_function_that_is_called_otherwise_is_the_one_that_a_suite_names() -> None:
    head = {"voice.py": TWO.replace("build", "make")}
    assert moves(head, ["python:voice:make"]).found == {BUILD: "python:voice:make"}
    # One function is not the successor of two.
    both = moves({"voice.py": TWO.replace("build", "make")}, ["python:voice:make"], (BUILD, GREET))
    assert both.found == {BUILD: "python:voice:make", GREET: "python:voice:greet"}


def test_a_module_without_a_suite_is_found_where_it_can_be_imported_and_has_the_name() -> None:
    assert moves({"src/lib/voice.py": TWO}, []).found == {BUILD: "python:lib.voice:build"}
    assert moves({"docs/voice.md": TWO}, []).found == {}
    assert moves({"my-voice.py": TWO}, []).found == {}
    assert moves({"voice.py": TWO.replace("build", "make")}, []).found == {}


def test_a_file_and_a_function_can_follow_each_other() -> None:
    base, head = Files({"p.md": BODY}), Files({"voice.py": BODY + "def build(session): ...\n"})
    assert prompt_moves(base, head, ["p.md"], ["python:voice:build"]).found == {"p.md": "python:voice:build"}
    assert prompt_moves(base, Files({"q.md": BODY}), ["p.md"], ["q.md"]).found == {"p.md": "q.md"}
