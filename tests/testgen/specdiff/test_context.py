"""What encloses a sentence is a part of what it says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.testgen.specdiff.carryover import carry_over
from gate.testgen.specdiff.markup import markup_of
from tests.testgen.specdiff.specs import rule, spec

LIMIT = "The answer has at most 80 words."
BASE = f"{{{{ x }}}}\n# Support\n\nYou answer customers.\n\n{LIMIT}\n\nNever name a price.\n"
AROUND = [
    ("{#", "#}"),
    ("{#-", "-#}"),
    ("{% if false %}", "{% endif %}"),
    ("{%- if x == 'zz' -%}", "{%- endif -%}"),
    ("{% raw %}", "{% endraw %}"),
    ("{% for y in x %}", "{% endfor %}"),
    ("{% set unused %}", "{% endset %}"),
    ("<!--", "-->"),
    ("```\n", "\n```"),
    ("~~~text\n", "\n~~~"),
    ("<old>", "</old>"),
    ('<rules for="nobody">', "</rules>"),
]


@pytest.mark.threat("rule-withdrawn")
@pytest.mark.parametrize(("before", "behind"), AROUND)
@pytest.mark.parametrize("gap", ["\n", "\n\n", " "])
def test_a_sentence_that_is_enclosed_no_longer_stands(before: str, behind: str, gap: str) -> None:
    base = spec(rule("R1", LIMIT, LIMIT), rule("R2", "Never name a price.", "Never name a price."))
    carried = carry_over(base, BASE, BASE.replace(LIMIT, f"{before}{gap}{LIMIT}{gap}{behind}"))
    assert [one.id for one in carried.rules] == ["R2"]
    assert [one.id for one in carried.touched] == ["R1"]
    back = carry_over(base, BASE.replace(LIMIT, f"{before}{gap}{LIMIT}{gap}{behind}"), BASE)
    assert "R1" not in [one.id for one in back.rules]


@pytest.mark.parametrize(
    "text",
    [
        f"Write <name> first.\n{LIMIT}",
        f"Braces {{% are never closed.\n{LIMIT}",
        f"{{# as these are.\n{LIMIT}",
        f"{{% set a = 1 %}}\n{LIMIT}",
        f"{{% include 'a.md' %}}\n{LIMIT}",
        f"<br/>\n<a/>{LIMIT}</a>\n{LIMIT}",
        f"{{% endif %}}\n</old>\n-->\n{LIMIT}",
        f"```\ncode\n```\n{LIMIT}",
        f"``` code in a line ```\n{LIMIT}",
        f"```\r\ncode\r\n```\r\n{LIMIT}",
        f"{{% raw %}}{{% if a %}}{{% endraw %}}\n{LIMIT}",
        f"{{# {{% if a %}} #}}\n{LIMIT}",
    ],
)
def test_what_encloses_nothing_is_no_context(text: str) -> None:
    assert not any(_around(text))


def _around(text: str) -> tuple[str, ...]:
    context, place = markup_of(text), text.rindex(LIMIT)
    return *context.at(place), context.tags_at(place)


WHOLE = ["{% if a %}", "{% endif %}", "{% raw %}", "{% endraw %}", "#}", "%}", "<!--", "-->", "```", "\n", "~~", "~~~"]
WHOLE += ["<a>", "</a>", "<b x>", "</b>", "Be kind. ", "é", "# H\n", "- x:\n"]


@given(st.lists(st.sampled_from(WHOLE), max_size=12).map("".join), st.sampled_from(AROUND))
def test_whatever_is_around_a_sentence_enclosing_it_shows(text: str, marks: tuple[str, str]) -> None:
    before = f"{text}\n\n{LIMIT}\n\n{text}"
    after = f"{text}\n\n{marks[0]}\n\n{LIMIT}\n\n{marks[1]}\n\n{text}"
    inside, outside = _around(after), _around(before)
    if not any(outside):
        assert inside != outside
