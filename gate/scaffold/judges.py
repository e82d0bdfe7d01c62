"""Judges of a new configuration: from another tool's file, or from the words of the prompt."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from gate.cases.case import Entry
from gate.config.models import parse_model
from gate.scaffold.models import KEYS, ConfigurationModels
from gate.scaffold.suites import SCORERS, SuiteDraft
from gate.testgen.rules.prompt_scorers import orders_of
from gate.values import JsonValue

_ORDERS = 12
"""Instructions in the criteria of a judge."""
_ORDER_CHARS = 300
_BEGINNING_CHARS = 600
_VARIABLE = re.compile(r"\{\{-?\s*([^\W\d][\w.]{0,60})[^{}]{0,200}\}\}")
_BRACES = re.compile(r"\{[{%#]|[}%#]\}")


def criteria_of(text: str) -> str:
    """Criteria for a judge: the instructions of a prompt (untrusted) that no other scorer checks, verbatim."""
    plain = _VARIABLE.sub(r"<\1>", text)
    orders = [one.text for one in orders_of(plain) if not one.scorers and not _BRACES.search(one.text)]
    orders = [one for one in orders if len(one) <= _ORDER_CHARS][:_ORDERS]
    if orders:
        return "\n".join(["The answer follows these instructions:", *(f"- {one}" for one in orders)])
    beginning = _BRACES.sub(" ", " ".join(plain.split()))[:_BEGINNING_CHARS]
    return f"The answer does what this prompt asks for, completely and correctly: {beginning}"


@dataclass(frozen=True, slots=True)
class _Judge:
    """A judge among scorers."""

    scorer: dict[str, JsonValue]
    options: dict[str, JsonValue]

    @property
    def models(self) -> tuple[str, ...]:
        """Its models; empty if the suite's model judges."""
        given = self.options.get("models", self.options.get("model"))
        return tuple(str(one) for one in (given if isinstance(given, list) else [given]) if one is not None)


def with_judges(draft: SuiteDraft, judge: str) -> SuiteDraft:
    """The suite of another tool with a model for each judge without one, so that no model judges itself."""

    def named(one: JsonValue) -> JsonValue:
        found = _judge(one)
        return one if found is None or found.models else {**found.scorer, "judge": {"model": judge, **found.options}}

    return _changed(draft, named)


def without_judges(draft: SuiteDraft, models: ConfigurationModels) -> SuiteDraft:
    """The suite without judges that cannot work with the packaged model.

    That model is too small to judge itself, and a judge of a service without a key cannot be called.
    """
    left = _changed(draft, lambda one: None if _unasked(_judge(one), models) else one)
    entries = left.entries or ()
    bare = not left.scorers and not any(key in entry for entry in entries for key in SCORERS)
    return replace(left, brought=left.brought and not bare)


def count_unasked_judges(draft: SuiteDraft, models: ConfigurationModels) -> int:
    """How many judges `without_judges` removes."""
    return sum(_unasked(found, models) for found in _judges(draft))


def judge_models(draft: SuiteDraft) -> tuple[str, ...]:
    """Models named by judges of the suite and of its cases, each once."""
    return tuple(dict.fromkeys(name for found in _judges(draft) for name in found.models))


def _unasked(found: _Judge | None, models: ConfigurationModels) -> bool:
    if found is None:
        return False
    providers = {parse_model(name).provider for name in found.models}
    return not providers or any(one in KEYS and one not in models.served for one in providers)


def _judges(draft: SuiteDraft) -> Iterator[_Judge]:
    entries = draft.entries or ()
    own = [value for entry in entries for key in SCORERS if isinstance(value := entry.get(key), list)]
    for scorers in (draft.scorers, *own):
        yield from (found for one in scorers if (found := _judge(one)) is not None)


def _judge(scorer: JsonValue) -> _Judge | None:
    options = scorer.get("judge") if isinstance(scorer, dict) else None
    if not isinstance(scorer, dict) or not isinstance(options, (str, dict)):
        return None
    return _Judge(scorer, {"criteria": options} if isinstance(options, str) else dict(options))


def _changed(draft: SuiteDraft, change: Callable[[JsonValue], JsonValue]) -> SuiteDraft:
    """The suite with every scorer changed; None removes it, and a case without scorers gets those of the suite."""

    def every(scorers: list[JsonValue]) -> list[JsonValue]:
        return [new for one in scorers if (new := change(one)) is not None]

    def entry(old: Entry) -> Entry:
        own = {key: every(value) for key in SCORERS if isinstance(value := old.get(key), list)}
        return {key: own.get(key, value) for key, value in old.items() if key not in own or own[key]}

    entries = None if draft.entries is None else tuple(map(entry, draft.entries))
    return replace(draft, scorers=tuple(every([*draft.scorers])), entries=entries)
