"""What is said about parts that are missing, wrong, endless or too large; and that saying it is cheap."""

from collections.abc import Callable

import pytest

from gate import limits
from gate.messages import Part, Parts
from gate.prompts import reading
from gate.prompts.version import Library, Prompt
from tests.config.texts import errors

Files = dict[str, str | bytes]
Read = Callable[[str], bytes | None]


def parse(files: Files, path: str = "p.j2", read: Read | None = None, *, template: bool = False) -> Prompt:
    data = {name: text.encode() if isinstance(text, str) else text for name, text in files.items()}
    library = Library(path, read or data.get, lambda name: f"main:{name}")
    return reading.parse(data[path].decode(), f"main:{path}", template=template, library=library)


def test_a_part_is_a_template_by_its_ending_and_text_otherwise() -> None:
    files: Files = {
        "d/p.j2": "{% include 'a.j2' %}{% include '/b.md' %}{% include 'a.j2' %}",
        "d/a.j2": "{{ input }}\r\n{% include '../c.yaml' %}\n",
        "b.md": b"\xef\xbb\xbf{{ braces }}\r\n\n",
        "c.yaml": "{% nothing %}",
    }
    assert parse(files, "d/p.j2").parts == Parts(
        "d/p.j2",
        (
            Part("d/a.j2", "{{ input }}\n{% include '../c.yaml' %}", template=True),
            Part("b.md", "{{ braces }}\n"),
            Part("c.yaml", "{% nothing %}"),
        ),
    )


def test_chat_files_pull_in_parts_too() -> None:
    system, user = "{% inc\\x6Cude 'a.md' %}", "{% include 'b.j2' %}"
    chat = f'- role: system\n  content: "{system}"\n- {{role: user, content: "{user}"}}\n'
    prompt = parse({"p.yaml": chat, "a.md": "A", "b.j2": "{{ input }}"}, "p.yaml", template=True)
    assert [part.path for part in prompt.parts.files] == ["a.md", "b.j2"]
    told = errors(lambda: parse({"p.yaml": chat}, "p.yaml", template=True))
    assert "main:p.yaml:1: there is no such part: a.md" in told


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"p.j2": "{% include 'a.j2' %}", "a.j2": "\n\n{% include 'b' %}"}, "main:a.j2:3: there is no such part: b"),
        ({"p.j2": "{% include '../a' %}"}, "main:p.j2:1: the path '../a' leaves the repository"),
        ({"p.j2": "\n{% include input %}"}, "main:p.j2:2: 'include' takes a literal path"),
        ({"p.j2": "x\n{% include 'p.j2' %}"}, "main:p.j2:2: the file includes itself: p.j2 → p.j2"),
        (
            {"p.j2": "{% include 'a.j2' %}", "a.j2": "{% include 'b.j2' %}", "b.j2": "\n{% include 'a.j2' %}"},
            "main:b.j2:2: the file includes itself: a.j2 → b.j2 → a.j2",
        ),
        (
            {"p.j2": "{% extends 'a.j2' %}"},
            "main:p.j2:1: 'extends' is not supported in templates; add shared text with",
        ),
    ],
)
def test_errors(files: Files, message: str) -> None:
    assert message in errors(lambda: parse(files))


def test_all_errors_at_once() -> None:
    files: Files = {
        "p.j2": "{% include 'a.j2' %}\n{% include 'gone' %}\n{% include input %}",
        "a.j2": "{% include '../x' %}\n{% include 'gone too' %}",
    }
    told = errors(lambda: parse(files))
    places = ("main:a.j2:1", "main:a.j2:2", "main:p.j2:2", "main:p.j2:3")
    assert [place in told for place in places] == [True] * 4


class Reads:
    """Files made on demand, and how many were read."""

    def __init__(self, make: Callable[[str], str]) -> None:
        self.make, self.count = make, 0

    def __call__(self, path: str) -> bytes:
        self.count += 1
        return self.make(path).encode()


def following(times: int, filler: str = "") -> Callable[[str], str]:
    """`7.j2` includes `8.j2` so many times."""
    return lambda path: filler + f"{{% include '{int(path.removesuffix('.j2')) + 1}.j2' %}}" * times


@pytest.mark.parametrize(
    ("prompt", "make", "message", "reads"),
    [
        ("{% include '1.j2' %}", following(1), "the prompt includes more than 100 files", 100),
        ("{% include '1.j2' %}", following(50), "has more than 1,000 includes", 20),
        ("{% include 'a.md' %}" * 10_000, str, "at most 5,000 tags", 0),
        (
            "".join(f"{{% include '{i}.md' %}}" for i in range(1000)),
            str,
            "the prompt includes more than 100 files",
            0,
        ),
        ("{% include 'a.md' %}", lambda _: "x" * limits.PROMPT_CHARS, "is longer than 1,048,576 characters", 1),
        ("{% include 'a.md' %}" * 20, lambda _: "x" * 100_000, "is longer than 1,048,576 characters", 1),
        (
            "{% include '1.j2' %}",
            lambda path: "x" if path == "11.j2" else following(1)(path),
            "includes are nested more than 10 deep",
            11,
        ),
        (
            "{% include '1.j2' %}" * 2,
            lambda path: "x" if path == "10.j2" else following(2)(path),
            "has more than 1,000 includes",
            10,
        ),
        ("{% include '1.j2' %}", following(2, "x" * 300_000), "is longer than 1,048,576 characters", 4),
    ],
)
def test_attacks_by_size_are_refused_after_few_reads(
    prompt: str, make: Callable[[str], str], message: str, reads: int
) -> None:
    read = Reads(make)
    assert message in errors(lambda: parse({"p.j2": prompt}, read=read))
    assert read.count == reads
