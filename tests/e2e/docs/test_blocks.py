"""Every code block of every page is checked against the program, or says why it is not."""

from pathlib import Path

import pytest

from tests.support.docsite.blocks import Block, blocks, wrong
from tests.support.docsite.stage import ELSEWHERE

ROOT = Path(__file__).parents[3]
PAGES = [ROOT / "README.md", *(ROOT / path for path in ELSEWHERE), *sorted((ROOT / "docs").rglob("*.md"))]


def test_every_block_is_valid_for_the_program() -> None:
    for path in PAGES:
        for block in blocks(path.read_text(encoding="utf-8")):
            assert wrong(block) == "", f"{path}:{block.line}"


def test_most_blocks_are_checked() -> None:
    found = [block for path in PAGES for block in blocks(path.read_text(encoding="utf-8"))]
    assert len(found) > 250
    assert len([block for block in found if block.why_not]) < len(found) / 10


def shown(language: str, text: str) -> str:
    (block,) = blocks(f"```{language}\n{text}\n```\n")
    return wrong(block)


@pytest.mark.parametrize(
    ("language", "text", "fault"),
    [
        ("sh", "gate diff --bass origin/main", "No such option"),
        ("sh", "gate cases lisst store:x", "there is no gate cases lisst"),
        ("sh", "true && X=1 gate plan --nope > out.txt  # a remark", "No such option"),
        ("sh", "make dmeo", "there is no make dmeo"),
        ("sh", "python -m benchmarks.nothing", "there is no module"),
        ("sh", "frobnicate --now", "nothing is known about the program frobnicate"),
        ("sh", "gate diff 'open", "No closing quotation"),
        ("yaml", "version: 1\nsuites: [{name: s, promt: p.md}]", "promt"),
        ("yaml", "budget: {max_dollars: 3}", "max_dollars"),
        ("yaml", "scorers: [{contains: {valu: x}}]", "valu"),
        ("yaml", "- id: a\n  input: hi\n  slcies: {lang: de}", "slcies"),
        ("yaml", "- uses: OWNER/prompt-gate@0\n  with: {fail_on: hold}", "the action has no input fail_on"),
        ("yaml", "jobs: {gate: {steps: []}}", "is not valid"),
        ("yaml", "steps: [{run: true, uses: a/b@c}]\npermission: {}", "is not valid"),
        ("yaml", "gate:\n  script: [gate diff --bass main]", "No such option"),
        ("yaml", "services: {}", "no reader takes this"),
        ("yaml", "a: b: c", "mapping values are not allowed"),
        ("json", '{"a": 1,}', "Expecting"),
        ("python", "def f(:", "invalid syntax"),
        ("jinja", "{% for x in y %}", "end of template"),
        ("rust", "fn main() {}", "nothing is known about rust"),
    ],
)
def test_errors_in_blocks_are_found(language: str, text: str, fault: str) -> None:
    assert fault in shown(language, text)


def test_a_block_can_say_why_it_is_not_run() -> None:
    page = "A list:\n\n- one\n\n   <!-- not run: of another program -->\n   ```nginx\n   server {}\n   ```\n"
    assert blocks(page) == [Block(6, "nginx", "server {}\n", "of another program")]
    assert wrong(blocks(page)[0]) == ""
