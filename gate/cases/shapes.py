"""Recognizes files of evaluation libraries by their keys."""

import re
from collections.abc import Collection, Mapping

from gate.values import JsonValue

DEEPEVAL, RAGAS, PYDANTIC_EVALS = "deepeval", "ragas", "pydantic-evals"
ANSWERS = ("ideal", "expected", "expected_output", "correct_label", "label", "ground_truth", "reference", "answer")
"""Keys of a reference answer, the likeliest first."""
_DEEPEVAL = frozenset(
    "actual_output expected_output retrieval_context custom_column_key_values additional_metadata tools_called".split()
)
_DEEPEVAL_TALK = frozenset("turns expected_outcome user_description persona chatbot_role".split())
_RAGAS = frozenset(
    "reference response retrieved_contexts reference_contexts rubrics multi_responses synthesizer_name "
    "reference_topics reference_tool_calls".split()
)
_RAGAS_BEFORE = frozenset(("contexts", "ground_truth", "ground_truths"))
_OWN = frozenset(("expected", "input", "vars"))
"""A row with one of the gate's own keys is no sample of ragas."""
_CAPITAL = re.compile(r"(?<=[a-z])([A-Z])")


def snake_case(key: str) -> str:
    """A name as DeepEval's Python has it, which its service writes in camel case."""
    return _CAPITAL.sub(r"_\1", key).lower() if key.isidentifier() else key


def is_deepeval(keys: Collection[str]) -> bool:
    """Do these keys, or headings, belong to a golden or test case of DeepEval?"""
    names = set(map(snake_case, keys))
    return bool(names & _DEEPEVAL if "input" in names else "scenario" in names and names & _DEEPEVAL_TALK)


def is_ragas(keys: Collection[str]) -> bool:
    """Do these keys, or headings, belong to a sample of ragas?"""
    names = set(keys)
    if names & _OWN:
        return False
    return bool("user_input" in names and names & _RAGAS or "question" in names and names & _RAGAS_BEFORE)


def is_dataset(data: Mapping[str, JsonValue]) -> bool:
    """Is this the content of a file that `Dataset.to_file` of pydantic-evals writes?"""
    cases = data.get("cases")
    return isinstance(cases, list) and bool(cases) and all(isinstance(one, dict) and "inputs" in one for one in cases)


def library_of(row: Mapping[str, JsonValue]) -> str:
    """The library whose dataset has such a row, or is this mapping as a whole; empty for none."""
    if is_dataset(row):
        return PYDANTIC_EVALS
    return DEEPEVAL if is_deepeval(row) else RAGAS if is_ragas(row) else ""


def answers_in(keys: Collection[str]) -> tuple[str, ...]:
    """`ANSWERS` without `answer` where that is what a model answered."""
    return ANSWERS[:-1] if is_ragas(keys) else ANSWERS
