"""What the datasets of evaluation libraries have in common: recorded answers, conversations, contexts, tool calls."""

import re
from collections.abc import Iterable, Mapping

from gate.cases.rows import Draft
from gate.values import JsonValue

NO_EQUAL = "because the gate has no equal"
_ENDS_RAW = re.compile(r"\{%[-+]?\s*endraw")
_SIGNS = ("{{", "{%", "{#")


class DatasetDraft(Draft):
    """Builds a case from a row that may hold what a model answered: a recorded answer is never expected."""

    def leave_out(self, rest: dict[str, JsonValue], keys: Iterable[str], why: str, remedy: str = "") -> None:
        """Take keys out of the row; those with a value are one loss, with their names."""
        named = [key for key in keys if is_given(rest.pop(key, None))]
        if named:
            self.place.lost(f"left out of row {self.place.number}, {why}: {', '.join(named)}", remedy)

    def leave_out_recorded(self, rest: dict[str, JsonValue], keys: Iterable[str]) -> None:
        """Take out what a model answered, and what was measured then."""
        self.leave_out(rest, keys, "because a model answered it, or it was measured", "the gate calls the model again")

    def ask_conversation(self, value: JsonValue, what: str) -> bool:
        """Set the question from a text or turns; answers after the user's last turn are recorded ones."""
        turns = list(value) if isinstance(value, list) else None
        if turns is None:
            return self.ask(value, what)
        while len(turns) > 1 and _is_answer(turns[-1]):
            turns.pop()
        if len(turns) < len(value if isinstance(value, list) else ()):
            said = f"the recorded answer at the end of {what} of row {self.place.number} is left out"
            self.place.lost(said, "the gate calls the model again")
        return self.ask(turns, what)

    def judge_by(self, criteria: Iterable[str]) -> None:
        """Add criteria for the suite's judges."""
        known = self.case.get("criteria")
        texts = [*([known] if isinstance(known, str) else []), *(text for text in criteria if text.strip())]
        if texts:
            self.case["criteria"] = "\n".join(texts)

    def expect_tools(self, calls: JsonValue, how: str, what: str) -> None:
        """Add the scorer `tools`; arguments only of tools that are expected once.

        Args:
            how: `all` or `in_order`.
            what: key of the calls in the row, for losses.
        """
        if not is_given(calls):
            return
        listed = calls if isinstance(calls, list) else [calls]
        named = [(call.get("name"), call) for call in listed if isinstance(call, dict)]
        names = [name for name, _ in named if isinstance(name, str) and name.strip()]
        if len(names) < len(listed):
            self.place.lost(f"{what} of row {self.place.number} is not a list of tools and is left out")
            return
        arguments: dict[str, JsonValue] = {}
        for name, call in named:
            given = next((call[key] for key in ("args", "inputParameters", "input_parameters") if key in call), None)
            if not is_given(given):
                continue
            if isinstance(given, dict) and names.count(str(name)) == 1:
                arguments[str(name)] = {"subset": given}
            else:
                self.place.lost(f"arguments of the tool {name} in {what} of row {self.place.number} are left out")
        chosen: list[JsonValue] = [*(names if how == "in_order" else dict.fromkeys(names))]
        options: dict[str, JsonValue] = {how: chosen, **({"arguments": arguments} if arguments else {})}
        self.case["extra_scorers"] = [{"tools": options}]


def is_given(value: JsonValue) -> bool:
    """Does a value say anything? Libraries write null, and empty lists, for what is not given."""
    return value is not None and value is not False and value not in ("", [], {})


def mapping_in(value: JsonValue) -> dict[str, JsonValue]:
    """The mapping; empty for anything else."""
    return dict(value) if isinstance(value, dict) else {}


def texts_in(value: JsonValue) -> list[str]:
    """The text, or the texts of a list; nothing of any other value."""
    return [item for item in (value if isinstance(value, list) else [value]) if isinstance(item, str)]


def literal_text(text: str) -> str | None:
    """A text that a template shows as it is; None if there is no such template."""
    if not any(sign in text for sign in _SIGNS):
        return text
    return None if _ENDS_RAW.search(text) else f"{{% raw %}}{text}{{% endraw %}}"


def _is_answer(turn: JsonValue) -> bool:
    row: Mapping[str, JsonValue] = turn if isinstance(turn, dict) else {}
    return str(row.get("role", row.get("type", ""))).lower() in ("assistant", "ai", "model", "tool")
