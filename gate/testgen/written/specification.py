"""The specification of a prompt as a file: written once, later added to around what a person has edited."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from jinja2 import Environment, StrictUndefined, Template

from gate.casefiles.places import Draft, Place
from gate.casefiles.yamlout import entries, indented, items
from gate.domain.jsonvalue import JsonValue
from gate.domain.promptspec import AuthorQuestion, CompiledRule, Component, OutputRule, Specification
from gate.inputs.problems import printable
from gate.inputs.specfile import BY_HAND, VERSION, WrittenRule, origin_of, read


@dataclass(frozen=True, slots=True)
class _RuleView:
    lines: Sequence[str]
    checked: Sequence[str]


def text_of(specification: Specification, compiled: Sequence[CompiledRule] = ()) -> str:
    """A new file, which `gate.inputs.specfile.parse` reads back as the same specification.

    Args:
        specification: its texts are blank or not, but never white space alone.
        compiled: the rules that code can check; a comment at each says how.
    """
    wordings: dict[str, list[str]] = {}
    for one in compiled:
        kinds = ", ".join(dict.fromkeys(spec.kind for spec in one.scorers))
        wordings.setdefault(one.rule, []).append(printable(f"{kinds} ({one.wording})"))
    head: dict[str, JsonValue] = {
        "version": VERSION,
        "prompt": specification.prompt,
        "generator": specification.generator or BY_HAND,
        "reviewer": specification.reviewer,
        "intent": specification.intent,
    }
    text = _template().render(
        head=entries(head),
        inputs=[_item(_component(one)) for one in specification.components],
        rules=[_RuleView(_item(_rule(one)), wordings.get(one.id, [])) for one in specification.rules],
        questions=[_item(_question(one)) for one in specification.questions],
    )
    return f"{text.rstrip()}\n"


def updated(text: str, specification: Specification, file: str = "the specification") -> str:
    """The file, brought up to a later state of its rules without losing what a person has written.

    New rules are added, inverses that are missing are filled in, rules that are gone are marked as obsolete, and those
    that are back are no longer; the digest of the prompt follows. No text that is there is changed, but that a reviewer
    has read it is taken back where rules came or went.

    Args:
        text: the file.
        specification: its rules carry the ids of the file (`gate.inputs.specfile.read`), new ones ids that are free.
        file: for messages.

    Raises:
        InputErrors: the file has a mistake.
        GateError: it is written in a way that cannot be added to.
    """
    found = read(text, file)
    draft = Draft(text, file)
    assert isinstance(draft.data, dict) and draft.root is not None  # noqa: S101
    data, root = draft.data, draft.root
    listed = data.get("rules")
    rows: list[JsonValue] = listed if isinstance(listed, list) else []
    places = root.entries["rules"].items or () if "rules" in root.entries else ()
    for place, row, written in zip(places, rows, found.rules, strict=False):
        if isinstance(row, dict):
            _bring_up(draft, place, row, (written, specification.rule(written.rule.id)))
    new = [_rule(rule) for rule in specification.rules if rule.id not in found.taken]
    if new:
        draft.extend("rules", new)
        data["rules"] = [*rows, *new]
    gone = any(specification.rule(one.rule.id) is None and not one.obsolete for one in found.rules)
    if (new or gone) and data.get("reviewer"):
        _set(draft, root, data, ("reviewer", ""))  # nobody has read it as it is now
    # Behind the rules: a new entry of the file stands where a new item of its last list does.
    if specification.prompt and specification.prompt != found.specification.prompt:
        _set(draft, root, data, ("prompt", specification.prompt))
    return draft.result(data)


def stamped(text: str, tests: str, file: str = "the specification") -> str:
    """The file, with what the tests in the case file were made from.

    Args:
        text: the file.
        tests: see `gate.testgen.specdiff.follow.tests_of`.
        file: for messages.

    Raises:
        InputErrors, GateError: as `updated`.
    """
    found, draft = read(text, file), Draft(text, file)
    if found.tests == tests:
        return text
    assert isinstance(draft.data, dict) and draft.root is not None  # noqa: S101
    data: dict[str, JsonValue] = {**draft.data}
    _set(draft, draft.root, data, ("tests", tests))
    return draft.result(data)


def _bring_up(
    draft: Draft, place: Place, row: dict[str, JsonValue], states: tuple[WrittenRule, OutputRule | None]
) -> None:
    written, now = states
    if "id" not in row:
        _set(draft, place, row, ("id", written.rule.id))
    if (now is None) != written.obsolete:
        _set(draft, place, row, ("obsolete", now is None))
    if now is not None and now.inverse and not written.rule.inverse:
        _set(draft, place, row, ("inverse", now.inverse))


def _set(draft: Draft, place: Place, row: dict[str, JsonValue], entry: tuple[str, JsonValue]) -> None:
    key, value = entry
    if key in place.entries:
        draft.replace(place.entries[key], value)
    else:
        draft.add_entry(place, key, value)
    row[key] = value


def _item(row: dict[str, JsonValue]) -> list[str]:
    return indented(items([row]))


def _component(one: Component) -> dict[str, JsonValue]:
    rules: list[JsonValue] = [
        {"text": rule.text, **({"evidence": rule.evidence} if rule.evidence else {})} for rule in one.rules
    ]
    return {"name": one.name, "description": one.description, "rules": rules}


def _rule(rule: OutputRule) -> dict[str, JsonValue]:
    row: dict[str, JsonValue] = {"id": rule.id, "rule": rule.text}
    if rule.evidence:
        row["evidence"] = rule.evidence
    if rule.inverse:
        row["inverse"] = rule.inverse
    row["grounding"] = rule.grounding
    if rule.grounding != "edited":
        row["origin"] = origin_of(rule)
    return row


def _question(one: AuthorQuestion) -> dict[str, JsonValue]:
    return {"kind": one.kind, "about": [*one.about], "text": one.text}


@lru_cache
def _template() -> Template:
    source = resources.files("gate.testgen").joinpath("templates", "specification.yaml.j2").read_text(encoding="utf-8")
    # No HTML is made here: the result is a YAML file, whose values are quoted already.
    env = Environment(undefined=StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True)  # noqa: S701
    return env.from_string(source)
