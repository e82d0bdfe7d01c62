"""Files of a generation: nothing that exists is overwritten, and nothing is written twice."""

from pathlib import Path

import pytest

from gate.config.specification import GeneratedTest, OutputRule, Specification
from gate.errors import GateError
from gate.testgen.files import file_stem, new_files
from gate.testgen.generate import GeneratedTests

SPEC = Specification("0" * 64, "It helps.", rules=(OutputRule("R1", "Be brief."),))
TESTS = (GeneratedTest("R1-rule-1", "rule", "R1", "Why?"),)
MADE = GeneratedTests(SPEC, TESTS)
FOLDER = Path("evals/shop")


def test_a_folder_full_of_them() -> None:
    with pytest.raises(GateError, match="998 similar files already exist"):
        new_files(MADE, SPEC, FOLDER, lambda path: b"")


@pytest.mark.parametrize(
    ("name", "expected"),
    [("a/shop.prompt.yml", "shop"), ("shop.md.j2", "shop"), ("shop", "shop"), (".md", ".md"), ("v1.2.md", "v1.2")],
)
def test_a_prompt_is_named_without_its_endings(name: str, expected: str) -> None:
    assert file_stem(name) == expected
