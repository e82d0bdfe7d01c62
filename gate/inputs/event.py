"""The payload of a `pull_request` event, as far as the gate needs it."""

import re
from dataclasses import dataclass

from gate.domain.jsonvalue import JsonValue
from gate.errors import GateError
from gate.inputs.jsontext import BadJson, parse_json
from gate.inputs.problems import Problems, one_problem

SHA = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
"""A whole commit id."""

_REF = re.compile(r"(?!.*(\.\.|@\{))[^\x00-\x20\x7f~^:?*\[\\]{1,255}")


@dataclass(frozen=True, slots=True)
class PullRequestEvent:
    """What happened to which pull request.

    Args:
        number: of the pull request.
        state: `open` or `closed`.
        head_sha: the newest commit of the change.
        base_ref: name of the branch it goes into.
        base_sha: where that branch was when the event was made; it may have moved since.
        labels: names.
    """

    number: int
    state: str
    head_sha: str
    base_ref: str
    base_sha: str
    labels: tuple[str, ...]

    @property
    def merge_ref(self) -> str:
        """The change as it would be merged."""
        return f"refs/pull/{self.number}/merge"


def parse_event(text: str, file: str) -> PullRequestEvent:
    """Read a payload.

    Args:
        text: JSON.
        file: path for messages.

    Raises:
        InputErrors: it is no JSON, or lacks what a payload has.
        GateError: the event is not about a pull request.
    """
    try:
        root = parse_json(text)
    except BadJson as error:
        raise one_problem(file, error.line, f"the event is not JSON: {error.message}", _UNTOUCHED) from None
    pull = _at(root, "pull_request")
    if not isinstance(pull, dict):
        raise GateError("the event has no pull request", "run the gate in a workflow with 'on: pull_request'")
    reader = _Reader(pull, Problems(file))
    event = PullRequestEvent(
        number=reader.number("number"),
        state=_text(pull.get("state")) or "open",
        head_sha=reader.text("head", "sha", form=SHA),
        base_ref=reader.text("base", "ref", form=_REF),
        base_sha=reader.text("base", "sha", form=SHA),
        labels=reader.labels(),
    )
    reader.problems.check()
    return event


_UNTOUCHED = "GITHUB_EVENT_PATH must name the file that GitHub wrote"


def _at(value: JsonValue, *keys: str) -> JsonValue:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else ""


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads fields of the pull request, and notes what is wrong with them."""

    pull: JsonValue
    problems: Problems

    def number(self, key: str) -> int:
        value = _at(self.pull, key)
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return value
        self._wrong(key)
        return 0

    def text(self, *keys: str, form: re.Pattern[str]) -> str:
        value = _text(_at(self.pull, *keys))
        if not form.fullmatch(value):
            self._wrong(".".join(keys))
        return value

    def labels(self) -> tuple[str, ...]:
        found = _at(self.pull, "labels")
        names = [_text(_at(label, "name")) for label in found] if isinstance(found, list) else []
        return tuple(filter(None, names))

    def _wrong(self, key: str) -> None:
        self.problems.add(0, f"the event's pull_request.{key} is missing or malformed", _UNTOUCHED)
