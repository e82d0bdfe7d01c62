"""Which variable made two renderings of a template differ, and what stands before the first one."""

import pytest

from gate.cases.case import Case, render, writers
from gate.limits import WATCHED_PARTS, WATCHED_TAGS
from gate.messages import Message
from gate.prompts.version import Prompt
from gate.templates.rendering import Origin, first_difference, first_part, hidden
from gate.templates.sandbox import BadTemplate

ONE = {"date": "1 May", "input": "a", "slices": {"tier": "smb"}, "tools": ["x", "y"], "same": "s"}


@pytest.mark.parametrize(
    ("text", "changed", "origin"),
    [
        ("On {{ date }}\n{{ input }}", {"input": "b"}, Origin(2, "input")),
        ("On {{ date }}\n{{ input }}", {"date": "1 May 2026", "input": "b"}, Origin(1, "date")),
        ("{{ same }}{{ date }}", {"date": "2 May"}, Origin(1, "date")),
        ("a\n\n{{ slices['tier'] | upper }}", {"slices": {"tier": "mid"}}, Origin(3, "slices.tier")),
        (
            "{% if slices.tier == 'smb' %}short{% else %}long{% endif %}{{ input }}",
            {"slices": {"tier": "mid"}},
            Origin(1, "slices.tier"),
        ),
        ("{% for tool in tools %}\n{{ tool }}{% endfor %}", {"tools": ["x", "z"]}, Origin(2, "tool")),
        ("{% for tool in tools %}\n{{ tool }}{% endfor %}", {"tools": ["x"]}, Origin(1, "tools")),
        ("{{ missing | default(input) }}", {"input": "b"}, Origin(1, "missing")),
    ],
)
def test_the_first_part_that_differs(text: str, changed: dict[str, object], origin: Origin) -> None:
    assert first_difference(text, ONE, ONE | changed) == origin


@pytest.mark.parametrize("text", ["{{ date }} {{ input }}", "static", "{% if true %}a{% endif %}"])
def test_equal_cases_differ_nowhere(text: str) -> None:
    assert first_difference(text, ONE, dict(ONE)) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Hi {# note #}you\n{{ date }}", (7, Origin(2, "date"))),
        ("ü{% raw %}{{ x }}{% endraw %} {{ input }}", (9, Origin(1, "input"))),
        ("{{ input }}", (0, Origin(1, "input"))),
        ("static", None),
    ],
)
def test_what_stands_before_the_first_part(text: str, found: tuple[int, Origin] | None) -> None:
    assert first_part(text, ONE) == found


def test_watching_a_template_keeps_its_rules() -> None:
    with pytest.raises(BadTemplate, match="'expected' is undefined"):
        first_difference("{{ expected }}", ONE, ONE)


def test_what_a_case_calls_seen_changes_nothing() -> None:
    assert first_difference("{{ input }}", ONE | {"__seen": 1}, ONE | {"__seen": 1, "input": "b"}) == Origin(1, "input")


@pytest.mark.parametrize(
    "prompt",
    [
        Prompt((Message("system", "Be kind."),)),
        Prompt((Message("system", "On {{ date }}."),), template=True),
        Prompt((Message("user", "Q: {{ input }}"),), template=True),
        Prompt((Message("system", "S"), Message("user", "{{ input }}"), Message("user", "End")), True, True),
    ],
)
@pytest.mark.parametrize("turns", [(), (Message("user", "a"), Message("assistant", "b"), Message("user", "c"))])
def test_each_message_has_its_writer(prompt: Prompt, turns: tuple[Message, ...]) -> None:
    case = Case("c", input="" if turns else "q", messages=turns, vars={"date": "1 May"})
    sent, found = render(prompt, case), writers(prompt, case)
    assert len(sent) == len(found)
    own = turns or (Message("user", "q"),)
    assert all(message in own for message, writer in zip(sent, found, strict=True) if writer is None)
    assert tuple(writer for writer in found if writer is not None) == prompt.messages


def test_a_rendering_is_watched_so_far_and_what_follows_is_not_named() -> None:
    asked: list[str] = []

    class Recorded(dict[str, object]):
        def __getitem__(self, key: str) -> object:
            asked.append(key)
            return "v"

    case = {"vars": Recorded({str(i): "v" for i in range(10_100)}), "n": 10_100}
    text = "{% for i in range(n) %}{{ vars[i|string] }}{% endfor %}{{ input }}"
    assert first_part(text, case) is not None
    assert asked == []
    assert first_difference(text, case | {"input": "a"}, case | {"input": "b"}) is None
    assert len(asked) <= 2 * WATCHED_PARTS


def test_a_template_of_many_tags_is_not_watched() -> None:
    text = "{{ same }}" + "{{ 1 }}" * (WATCHED_TAGS - 1)
    assert first_difference(text, ONE, ONE | {"same": "t"}) == Origin(1, "same")
    assert first_difference(text + "{{ same }}", ONE, ONE | {"same": "t"}) is None
    assert first_part("a\n" + text + "{{ same }}", ONE) == (2, Origin(2, ""))
    assert first_part("a\n{# #}{{ same }}", ONE) == (2, Origin(2, "same"))


def test_a_name_that_is_too_long_is_not_told() -> None:
    assert first_part("{{ slices['" + "A" * 201 + "'] | default(input) }}", ONE) == (0, Origin(1, ""))


@pytest.mark.parametrize(
    "key", [hidden("seen"), hidden("steps"), hidden("sized"), hidden("joined"), "__seen", "__sized"]
)
def test_no_variable_of_a_case_reaches_the_watching(key: str) -> None:
    text = "{% set a = input ~ id %}{% for x in [a] %}{{ x }}{% endfor %}"
    case = ONE | {"id": "1", key: 7}
    assert first_difference(text, case, case | {"input": "b"}) == Origin(1, "x")
