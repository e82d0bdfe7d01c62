"""The orders of whole prompts, sentence by sentence."""

import time

import pytest

from gate.testgen.rules.prompt_scorers import CHARS, SENTENCES, orders_of

PROMPT = """\
# Role
You are the support assistant of a shop for bicycles.

## Rules
- Answer the customer's question in at most two sentences.
- **Always** be polite and friendly.
- Use at most 80 words
  unless the customer asks for more.
2. Do not use emojis, and end with a question.
- 2-3 bullet points max.
- Max length: 300 characters.
"""


def test_orders_are_told_from_the_rest_and_read_where_code_can() -> None:
    assert [(one.text, one.wording) for one in orders_of(PROMPT)] == [
        ("Answer the customer's question in at most two sentences.", "at most 2 sentences"),
        ("Always be polite and friendly.", ""),
        ("Use at most 80 words unless the customer asks for more.", ""),
        ("Do not use emojis.", "no emoji"),
        ("End with a question.", "a question at the end"),
        ("2-3 bullet points max.", "from 2 to 3 bullet points"),
        ("Max length: 300 characters.", "at most 300 characters"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "```\nAnswer in French.\n```",
        "<example>\nAnswer in French.\n</example>",
        "Question: Answer in French.",
        "You are a teacher of French.",
        "The customer writes in French.",
        "Is this an order?",
    ],
)
def test_what_is_shown_or_told_is_no_order(text: str) -> None:
    assert orders_of(text) == ()


def test_a_half_is_read_only_where_the_other_adds_nothing_to_the_answer() -> None:
    assert [one.wording for one in orders_of("Write at most two sentences and be kind.")] == ["at most 2 sentences", ""]
    assert [one.wording for one in orders_of("Write at most two sentences and list three keywords.")] == [""]


@pytest.mark.parametrize(
    "lead",
    ["If the customer asks for more:", "Title:", "For each product:", "**When it is late:**", "## Title", "The menu:"],
)
def test_a_list_below_a_part_or_a_condition_speaks_of_it_alone(lead: str) -> None:
    assert [one.wording for one in orders_of(f"{lead}\n- Use at most 8 words.\n")] == [""]


@pytest.mark.parametrize(
    "lead", ["Rules:", "**Response guidelines:**", "Your answers must follow these rules:", "## Style"]
)
def test_a_list_below_rules_speaks_of_the_answer(lead: str) -> None:
    assert [one.wording for one in orders_of(f"{lead}\n- Use at most 8 words.\n")] == ["at most 8 words"]


@pytest.mark.parametrize("part", ["<example>", "```\n~~~\n", "**a ", "a and b "])
def test_no_prompt_takes_long(part: str) -> None:
    begun = time.process_time()
    orders_of(part * (CHARS // len(part)))
    assert time.process_time() - begun < 5


def test_a_prompt_is_read_up_to_a_bound() -> None:
    text = "\n".join(f"- Use at most {number} words." for number in range(1, 2 * SENTENCES))
    assert len(orders_of(text)) == SENTENCES
