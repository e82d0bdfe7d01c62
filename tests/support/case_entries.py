"""Hypothesis strategies for valid cases of every form."""

from typing import Any

from hypothesis import strategies as st

from gate.cases.stored import Entry
from gate.values import JsonValue

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
LINES = st.lists(TEXT | st.sampled_from(["", "  indented", "# no comment", "- a", "k: v", "yes"]), max_size=4).map(
    "\n".join
)
SAID = (TEXT | LINES).filter(str.strip)
NUMBER = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
VALUE: st.SearchStrategy[JsonValue] = st.recursive(
    st.none() | st.booleans() | NUMBER | TEXT | LINES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
LABEL = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=12)
VARS = st.dictionaries(LABEL.filter(lambda name: name not in ("input", "id", "slices", "expected")), VALUE, min_size=1)
SLICES = st.dictionaries(LABEL.filter(lambda name: not set("=/") & set(name) and name != "overall"), LABEL, max_size=3)
OFTEN = {"slices": SLICES, "cluster": LABEL, "criteria": SAID, "threshold": st.floats(0.01, 1)}
PLAIN = st.fixed_dictionaries(
    {"input": SAID}, optional={"expected": VALUE, "description": SAID, "obsolete": st.booleans(), **OFTEN, "vars": VARS}
)
TRANSCRIPT = st.fixed_dictionaries(
    {
        "state": LABEL,
        "conversation": st.lists(SAID, min_size=1, max_size=3).map(
            lambda said: [{"role": "user", "content": one} for one in said]
        ),
    },
    optional={"session": st.dictionaries(LABEL.filter(lambda name: name != "state"), VALUE, max_size=2)},
)
ROUND = st.fixed_dictionaries({"prompt": SAID}, optional={"judge_prompt": SAID})
AGENT = st.fixed_dictionaries(
    {"rounds": st.lists(ROUND, min_size=2, max_size=3)},
    optional={"judge_prompt": SAID, "test_agent_revival": st.booleans(), "facts": SAID, "description": SAID},
)
TEST_DATA = st.fixed_dictionaries({"input": SAID}, optional={"expected": VALUE, "vars": VARS})


def named(rows: st.SearchStrategy[dict[str, Any]], least: int = 1) -> st.SearchStrategy[list[Entry]]:
    """Cases with ids of their own."""
    return st.lists(st.tuples(LABEL, rows), min_size=least, max_size=5, unique_by=lambda pair: pair[0]).map(
        lambda pairs: [{"id": name, **row} for name, row in pairs]
    )


def entries(file: str) -> st.SearchStrategy[list[Entry]]:
    """What a file of this name can hold."""
    if file.endswith((".csv", ".tsv")):
        return named(PLAIN)
    return named(TEST_DATA if ".prompt." in file else st.one_of(PLAIN, TRANSCRIPT, AGENT))
