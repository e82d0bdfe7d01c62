"""Files of a generation: nothing that exists is overwritten, and nothing is written twice."""

from pathlib import Path

import pytest

from gate.config.specification import GeneratedTest, OutputRule, Specification
from gate.errors import GateError
from gate.testgen.cases.diversity import diversity_of
from gate.testgen.files import NewFiles, file_stem, new_files
from gate.testgen.generate import Generated

SPEC = Specification("0" * 64, "It helps.", rules=(OutputRule("R1", "Be brief."),))
TESTS = (GeneratedTest("R1-rule-1", "rule", "R1", "Why?"),)
MADE = Generated(SPEC, (), TESTS, (), diversity_of(TESTS), ())
FOLDER = Path("evals/shop")


def found(lying: dict[str, bytes], given: Specification | None = None) -> NewFiles:
    return new_files(MADE, given, FOLDER, lambda path: lying.get(path.as_posix()))


def test_an_empty_folder_gets_both() -> None:
    files = found({})
    assert [(str(file.path), file.there) for file in files.all] == [
        ("evals/shop/spec.yaml", False),
        ("evals/shop/cases.yaml", False),
    ]


def test_the_same_file_is_left() -> None:
    first = found({}).cases
    again = found({"evals/shop/cases.yaml": first.text.encode()}, given=SPEC)
    assert again.spec is None
    assert (again.cases.path, again.cases.there) == (FOLDER / "cases.yaml", True)
    assert again.cases.told.endswith("(as it was)")


def test_another_file_stays_and_the_next_name_is_taken() -> None:
    text = found({}).cases.text.encode()
    files = found({"evals/shop/cases.yaml": b"- mine", "evals/shop/cases-2.yaml": text})
    assert (files.cases.path, files.cases.there) == (FOLDER / "cases-2.yaml", True)
    files = found({"evals/shop/cases.yaml": b"- mine", "evals/shop/cases-2.yaml": b""})
    assert (files.cases.path, files.cases.there) == (FOLDER / "cases-3.yaml", False)


def test_a_folder_full_of_them() -> None:
    with pytest.raises(GateError, match="998 more like it are there already"):
        new_files(MADE, SPEC, FOLDER, lambda path: b"")


@pytest.mark.parametrize(
    ("name", "expected"),
    [("a/shop.prompt.yml", "shop"), ("shop.md.j2", "shop"), ("shop", "shop"), (".md", ".md"), ("v1.2.md", "v1.2")],
)
def test_a_prompt_is_named_without_its_endings(name: str, expected: str) -> None:
    assert file_stem(name) == expected
