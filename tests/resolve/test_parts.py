"""Whether a prompt that is the same on both sides pulls in the same, and how little is read to know it."""

from dataclasses import dataclass, field, replace

import pytest

from gate.config.gatefile import load
from gate.prompts.files import content_fingerprint
from gate.resolve.pairing import Sides, same_parts
from tests.config.texts import GOOD

SUITE = load(GOOD, "gate.yaml").suites[0]
CHAT = "- {role: system, content: \"{% inc\\x6Cude 'a.j2' %}\"}"


@dataclass
class Source:
    """Files in memory, and which of them were read."""

    files: dict[str, str]
    sha: str | None = "0" * 40
    label: str = "a commit"
    seen: list[str] = field(default_factory=list)

    def read(self, path: str) -> bytes | None:
        self.seen.append(path)
        return self.files[path].encode() if path in self.files else None

    def fingerprint(self, path: str) -> str | None:
        return content_fingerprint(self.files[path].encode() if path in self.files else None)

    def glob(self, pattern: str) -> list[str]:
        return [pattern]


@pytest.mark.parametrize(
    ("path", "text", "template", "read"),
    [
        ("p.md", "{% include 'a.j2' %}", False, []),
        ("p.j2", "{{ input }}", False, ["p.j2"]),
        ("p.j2", "{% include 'a.j2' %}", False, ["p.j2", "a.j2", "b.md"]),
        ("p.md", "{% include 'a.j2' %}", True, ["p.md", "a.j2", "b.md"]),
        ("p.yaml", CHAT, False, []),
        ("p.yaml", CHAT, True, ["p.yaml", "a.j2", "b.md"]),
    ],
)
def test_only_a_template_that_pulls_something_in_is_read(path: str, text: str, template: bool, read: list[str]) -> None:
    files = {path: text, "a.j2": "{% include 'b.md' %}", "b.md": "b"}
    suite = replace(SUITE, prompt=path, template=template)
    base, head = Source(dict(files)), Source(dict(files))
    assert same_parts(Sides(base, head), suite)
    assert (base.seen, head.seen) == ([], read)
    for part in ("a.j2", "b.md"):
        changed = Source(files | {part: "other"})
        assert same_parts(Sides(base, changed), suite) == (part not in read)
        gone = Source({name: text for name, text in files.items() if name != part})
        assert same_parts(Sides(base, gone), suite) == (part not in read)
        assert same_parts(Sides(gone, head), suite) == (part not in read)
