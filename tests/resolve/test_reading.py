"""Reading both sides: no file is parsed more often than there are sides."""

import pytest

from gate.errors import InputErrors
from gate.resolve.pairing import Sides
from gate.resolve.two_refs import resolve
from tests.resolve.files import Files

CASE = '{"id": "1", "input": "a", "expected": "b"}\n'


def config(suites: int) -> str:
    rows = [f"  - {{name: s{n}, prompt: p{n}.md, cases: c.jsonl, scorers: [contains]}}" for n in range(suites)]
    return "\n".join(["version: 1", "defaults: {model: 'fake:oracle'}", "suites:", *rows]) + "\n"


def side(label: str, suites: int, cases: str = CASE) -> Files:
    prompts = {f"p{n}.md": f"{label} {n}\n" for n in range(20)}
    return Files({**prompts, "gate.yaml": config(suites), "c.jsonl": cases}, label)


def test_a_case_file_that_many_suites_name_is_read_once_a_side() -> None:
    base, head = side("main", 2), side("head", 20)
    resolved = resolve(Sides(base, head))
    assert len(resolved.suites) == 20
    assert (base.reads.count("c.jsonl"), head.reads.count("c.jsonl")) == (1, 1)


def test_a_case_file_with_a_mistake_is_read_once_and_told_once() -> None:
    base, head = side("main", 2), side("head", 20, CASE + "{\n")
    with pytest.raises(InputErrors) as caught:
        resolve(Sides(base, head))
    assert [(problem.file, problem.line) for problem in caught.value.problems] == [("c.jsonl", 2)]
    assert (base.reads.count("c.jsonl"), head.reads.count("c.jsonl")) == (1, 1)


def test_what_the_change_edits_is_still_seen() -> None:
    head = side("head", 2, CASE + CASE.replace('"1"', '"2"'))
    resolved = resolve(Sides(side("main", 2), head))
    assert {name: changes.added for name, changes in resolved.changes.items()} == {"s0": ("2",), "s1": ("2",)}
