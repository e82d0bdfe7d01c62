"""Whatever is done to a prompt, and however it is read: what changed is shown."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.config.specification import OutputRule, Specification
from gate.record.parts import QUIET, SpecDiff
from gate.testgen.questions import Asker
from gate.testgen.specdiff.carryover import carry_over, joined_specification, without_carried
from gate.testgen.specdiff.diff import DiffMeans, PromptVersion, spec_diff
from gate.testgen.specdiff.structure import plain_text
from tests.testgen.specdiff.specs import judge, rule, told

WRAPS = {
    "": "@",
    "comment": "<!--\n\n@\n\n-->",
    "template comment": "{#\n@\n#}",
    "condition": "{% if false %}\n\n@\n\n{% endif %}",
    "fence": "```\n@\n```",
    "crossed out": "~~Once: @ It was so.~~",
    "tag": "<old>\n@\n</old>",
    "lead-in": "Never:\n\n- @",
}
TAKEN_BACK = {"comment", "template comment", "condition", "fence", "crossed out"}
Sentence = tuple[str, str, int]
"""How it is wrapped, what it is about, and its number."""

TOPICS = ["answer", "subject line", "greeting", "summary", "list of names", "footnote"]
SENTENCES = st.tuples(st.sampled_from(sorted(WRAPS)), st.sampled_from(TOPICS), st.sampled_from([3, 8, 80, 800]))
PROMPTS = st.lists(SENTENCES, min_size=1, max_size=5, unique_by=lambda one: one[1])
READERS = st.sampled_from(["exact", "loose", "wrong words", "nothing", "as before"])
EDITS = st.lists(
    st.tuples(st.sampled_from(["delete", "insert", "reorder", "wrap", "number"]), st.integers(0, 9), SENTENCES),
    min_size=1,
    max_size=4,
)


def sentence(one: Sentence) -> str:
    return f"Keep the {one[1]} below {one[2]} words."


def text_of(prompt: Sequence[Sentence]) -> str:
    return "\n\n".join(WRAPS[one[0]].replace("@", sentence(one)) for one in prompt) + "\n\nThat is all.\n"


def edited(prompt: list[Sentence], edits: list[tuple[str, int, Sentence]]) -> list[Sentence]:
    for edit, number, new in edits:
        place = number % max(1, len(prompt))
        if edit == "insert" and all(one[1] != new[1] for one in prompt):
            prompt = [*prompt[:place], new, *prompt[place:]]
        elif edit == "reorder":
            prompt = [*prompt[place:], *prompt[:place]]
        elif edit == "delete":
            prompt = [*prompt[:place], *prompt[place + 1 :]]
        elif prompt and edit in ("wrap", "number"):
            wrap, topic, most = prompt[place]
            other = (new[0], topic, most) if edit == "wrap" else (wrap, topic, new[2])
            prompt = [*prompt[:place], other, *prompt[place + 1 :]]
    return prompt


def read(prompt: Sequence[Sentence], before: Sequence[OutputRule], how: str) -> tuple[OutputRule, ...]:
    """Readers never know a comment from a demand; some copy wrongly, some see what is not there."""
    rules = [rule(f"R{place}", f"Rule: {sentence(one)}", sentence(one)) for place, one in enumerate(prompt, 1)]
    if how == "loose":
        return tuple(replace(one, evidence="") for one in rules)
    if how == "wrong words":
        return tuple(replace(one, text=f"So: {one.text}", evidence=f"kindly {one.evidence}") for one in rules)
    return () if how == "nothing" else tuple(before) if how == "as before" else tuple(rules)


def compared(base: list[Sentence], head: list[Sentence], how: str, ask: Asker | None) -> SpecDiff:
    before, after = text_of(base), text_of(head)
    known = Specification("", "", rules=read(base, (), "exact"))
    carried = carry_over(known, before, after)
    found = without_carried(Specification("", "", rules=read(head, known.rules, how)), carried, after)
    sides = PromptVersion(known, before), PromptVersion(joined_specification(known, carried, found), after)
    return asyncio.run(spec_diff(*sides, DiffMeans(ask, lineage=True)))


def lenient() -> Asker:
    """A judge to whom all pairs are the same."""
    return judge([told(f"B{place}", f"H{place}", "same") for place in range(1, 2)], [])[0]


@pytest.mark.threat("rule-withdrawn")
@given(PROMPTS, EDITS, READERS, st.booleans())
def test_a_rule_whose_sentence_is_not_there_as_it_was_is_not_unchanged(
    base: list[Sentence], edits: list[tuple[str, int, Sentence]], how: str, asked: bool
) -> None:
    head = edited(base, edits)
    found = compared(base, head, how, lenient() if asked else None)
    states = {change.base.id: change.state for change in found.rules if change.base is not None}
    wraps = {one[1]: one[0] for one in head}
    for place, one in enumerate(base, 1):
        if one in head:
            continue
        assert states[f"R{place}"] != "unchanged"
        if {one[0], wraps.get(one[1], one[0])} & TAKEN_BACK and wraps.get(one[1], one[0]) != one[0]:
            assert states[f"R{place}"] not in QUIET


@given(PROMPTS, EDITS, READERS)
def test_a_new_sentence_is_a_row_or_a_note(
    base: list[Sentence], edits: list[tuple[str, int, Sentence]], how: str
) -> None:
    head = edited(base, edits)
    found = compared(base, head, how, None)
    shown = [change.head.evidence for change in found.rules if change.head is not None and change.state != "unchanged"]
    notes = " ".join(found.notes)
    for one in head:
        if one not in base:
            assert sentence(one) in shown or plain_text(sentence(one)) in notes or "more." in notes


def fenced_list(prompt: list[Sentence]) -> bool:
    """A fence behind a list may belong to its last item."""
    return {"fence", "lead-in"} <= {one[0] for one in prompt}


@given(PROMPTS.filter(lambda prompt: not fenced_list(prompt)), st.integers(0, 9), READERS)
def test_another_order_is_a_note_alone(base: list[Sentence], turn: int, how: str) -> None:
    place = turn % len(base)
    found = compared(base, [*base[place:], *base[:place]], how, None)
    assert found.empty
    assert len(found.notes) == int(place > 0)
    assert all("in another order" in note for note in found.notes)
