"""Texts that a model may write into a test, and tests made of them."""

from hypothesis import strategies as st

from gate.config.specification import GeneratedTest

NASTY = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=60),
    st.lists(
        st.sampled_from(
            ["a: b", " #c", "- d", "'", '"', "\n", "\n\n", "  ", "\t", "{", "}", "[x]", "|", ">", "&a", "*a", "!t", "%"]
            + [
                "---",
                "...",
                "no",
                "1e3",
                "0x1",
                "~",
                "é",
                "\U0001f600",
                "\u2028",
                "\x85",
                "\ufeff",
                "\\n",
                "\r",
                "\x00",
            ]
        ),
        max_size=8,
    ).map("".join),
)
SAID = NASTY.filter(lambda text: bool(text.strip()))
NAMES = st.sampled_from(["lang", "user name", "tone", "no", "x1", "on"])
TESTS = st.builds(
    GeneratedTest,
    id=st.sampled_from(["R1-rule-1", "R1-inverse-2", "R12-rule-3", "control-1", "R2-rule-1"]),
    kind=st.sampled_from(["rule", "inverse"]),
    rule=st.sampled_from(["R1", "R12"]),
    input=SAID,
    vars=st.dictionaries(
        NAMES, st.one_of(NASTY, st.lists(NASTY, max_size=2), st.integers(), st.booleans()), max_size=3
    ),
    scenario=st.sampled_from([None, "boundary", "typical", "edge"]),
    reasoning=NASTY,
    behaviour=NASTY,
    expected=st.one_of(st.none(), NASTY),
)
UNIQUE = st.lists(TESTS, max_size=4, unique_by=lambda test: test.id)
