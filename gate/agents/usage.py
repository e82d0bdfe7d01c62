"""Tokens that an agent reports, under the gate's names or those of a provider or framework."""

from collections.abc import Mapping, Sequence

from gate.calls.untrusted import token_count
from gate.config.documents import described, printable
from gate.record.transcript import Usage
from gate.values import JsonValue

OWN = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")
"""The gate's names; `input_tokens` leaves out what was read from or written to a cache."""
_INPUT = ("input_tokens", "prompt_tokens", "prompt_token_count", "request_tokens")
_OUTPUT = ("output_tokens", "completion_tokens", "candidates_token_count", "response_tokens")
_THOUGHT = ("thoughts_token_count",)
"""Gemini counts them beside its output."""
_READ = ("cache_read_tokens", "cache_read_input_tokens")
_WRITTEN = ("cache_write_tokens", "cache_creation_input_tokens", "cache_write_input_tokens")
_READ_OF_INPUT = ("cached_tokens", "cache_read", "cached_content_token_count", "cached_input_tokens")
"""Counted in the input, too."""
_WRITTEN_OF_INPUT = ("cache_creation",)
_DETAILS = ("prompt_tokens_details", "input_tokens_details", "input_token_details")
"""Mappings with more figures."""
_SHOWN = 100
_REMEDY = "send input_tokens and output_tokens, or leave usage out"


class UnusableUsage(Exception):
    """A report of tokens that cannot be read; recorded as 0, it would look like a fact."""


def usage_of(value: JsonValue) -> Usage:
    """The tokens in a report; none where it is missing or empty.

    Raises:
        UnusableUsage: its names or its numbers are unknown.
    """
    if value is None or value == {}:
        return Usage()
    if not isinstance(value, dict):
        raise UnusableUsage(f"usage that is {described(value)}, not a mapping: {_REMEDY}")
    report = _flat(value)
    complete = any(key in report for key in _INPUT) and any(key in report for key in _OUTPUT)
    if not complete and not report.keys() <= set(OWN):
        names = printable(", ".join(value))[:_SHOWN]
        raise UnusableUsage(f"usage under names that the gate does not know ({names}): {_REMEDY}")
    read_of_input, written_of_input = _count(report, _READ_OF_INPUT), _count(report, _WRITTEN_OF_INPUT)
    return Usage(
        input_tokens=max(0, _count(report, _INPUT) - read_of_input - written_of_input),
        cache_read_tokens=_count(report, _READ) + read_of_input,
        cache_write_tokens=_count(report, _WRITTEN) + written_of_input,
        output_tokens=_count(report, _OUTPUT) + _count(report, _THOUGHT),
    )


def _flat(value: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """The figures by names in snake case, with those of the details; what is null is not reported."""
    report = {_snake_case(key): figure for key, figure in value.items() if figure is not None}
    details = [found for key in _DETAILS if isinstance(found := report.pop(key, None), dict)]
    more = {_snake_case(key): figure for one in details for key, figure in one.items() if figure is not None}
    return {**more, **report}


def _snake_case(key: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in key).lstrip("_")


def _count(report: Mapping[str, JsonValue], names: Sequence[str]) -> int:
    name = next((name for name in names if name in report), None)
    if name is None:
        return 0
    count = token_count(report[name])
    if count is None:
        raise UnusableUsage(f"usage whose {name} is not a number of tokens: {_REMEDY}")
    return count
