"""Tests of agents: what the agent is told, round by round, the tools that it should use, what a judge looks for."""

from collections.abc import Mapping
from types import MappingProxyType

from gate.domain.case import Case, Persona, Round, ScorerSpec
from gate.domain.jsonvalue import JsonValue
from gate.inputs.fields import Fields, Range
from gate.inputs.limits import LINE_CHARS, PROMPT_CHARS
from gate.inputs.nodes import Node, described, plain, wrap
from gate.inputs.scorers.options import read_threshold
from gate.inputs.scorers.read import read_scorers

KEYS = (
    *("name", "description", "prompt", "expected_tools", "judge_prompt", "judge_threshold", "rounds"),
    *("test_agent_revival", "facts", "user"),
)
ROUND = ("prompt", "expected_tools", "judge_prompt", "judge_threshold")
USER = ("persona", "goal", "max_turns")
ROUNDS = 50
"""Of one case."""
TURNS = Range(1, 50)
TOOLS = "tools"
"""The scorer that expected tools become."""

_MARKS = frozenset(
    {"expected_tools", "judge_prompt", "judge_threshold", "rounds", "test_agent_revival", "facts", "user"}
)
_NAMED_ONLY = frozenset({"name", "description", "slices", "cluster"})
"""With nothing else than these it has a name as tests of agents do, and lacks what the agent is told."""
_MEANT_ROUND: Mapping[str, str] = MappingProxyType(
    {"input": "prompt", "user": "prompt", "criteria": "judge_prompt", "threshold": "judge_threshold"}
)


def is_agent_case(entry: Mapping[str, object]) -> bool:
    """Is this a test of an agent, and no case of the plain form?"""
    told = "name" in entry and ("prompt" in entry or entry.keys() <= _NAMED_ONLY)
    return (told or bool(_MARKS & entry.keys())) and not {"input", "messages"} & entry.keys()


def read_agent_case(fields: Fields) -> Case:
    """The part of a case that only tests of agents have, still without its id and place.

    `expected_tools` becomes a required scorer of the whole conversation, or of a round; `judge_prompt` goes before the
    criteria of the suite's judges, and `judge_threshold` before their thresholds.

    Args:
        fields: the case; its problems get every mistake.
    """
    rounds = _rounds(fields)
    user = _user(fields)
    if not fields.has("user") and not fields.has("rounds"):
        fields.require("prompt", '"prompt": "What are my listings?"')
    if fields.has("rounds") and fields.has("prompt"):
        fields.problems.add(fields.line_of("prompt"), "a case has either 'prompt' or 'rounds', not both")
    if user is not None and rounds:
        fields.problems.add(fields.line_of("user"), "a case has either 'rounds' or a simulated 'user', not both")
    revival = fields.flag("test_agent_revival", False)
    unread = fields.has("rounds") and not rounds
    if revival and len(rounds) < 2 and not unread:
        hint = "give it a second round, which can only be answered by whoever remembers the first"
        fields.problems.add(fields.line_of("test_agent_revival"), "test_agent_revival needs two rounds or more", hint)
    said = fields.text("prompt", most=LINE_CHARS)
    return Case(
        id="",
        input=rounds[0].said if rounds else said,
        criteria=_text(fields, "judge_prompt"),
        judge_threshold=_threshold(fields),
        extra_scorers=_tools(fields),
        rounds=rounds,
        revival=revival,
        facts=_facts(fields),
        user=user,
        description=_text(fields, "description") or "",
    )


def _rounds(fields: Fields) -> tuple[Round, ...]:
    node = fields.get("rounds")
    if node is None:
        return ()
    if not isinstance(node.value, tuple) or not node.value:
        found = "an empty list" if node.value == () else described(node.value)
        hint = 'for example "rounds": [{"prompt": "What are my listings?"}]'
        fields.problems.add(node.line, f"rounds must be a list of rounds, not {found}", hint)
        return ()
    if len(node.value) > ROUNDS:
        fields.problems.add(node.line, f"a case has at most {ROUNDS} rounds, and this one has {len(node.value):,}")
        return ()
    return tuple(_round(item, number, fields) for number, item in enumerate(node.value, start=1))


def _round(node: Node, number: int, case: Fields) -> Round:
    fields = Fields(node, f"round {number}", case.problems)
    fields.only(ROUND, meant=_MEANT_ROUND)
    fields.require("prompt", '"prompt": "What are my listings?"')
    return Round(
        said=fields.text("prompt", most=LINE_CHARS),
        criteria=_text(fields, "judge_prompt"),
        threshold=_threshold(fields),
        scorers=_tools(fields, "expected_tools of rounds"),
        line=node.line,
    )


def _text(fields: Fields, key: str) -> str | None:
    return fields.text(key, most=PROMPT_CHARS) if fields.has(key) else None


def _threshold(fields: Fields) -> float | None:
    return read_threshold(fields, "judge_threshold")


def _tools(fields: Fields, name: str = "expected_tools") -> tuple[ScorerSpec, ...]:
    """An empty list expects nothing; a mapping has the options of the scorer `tools`."""
    node = fields.get("expected_tools")
    if node is None or node.value == ():
        return ()
    options: JsonValue = plain(node) if isinstance(node.value, Mapping) else {"all": plain(node)}
    return read_scorers(wrap([{TOOLS: options, "name": name}], node.line), fields.problems)


def _facts(fields: Fields) -> str:
    """What the person knows: a text, or a mapping, which is written line by line."""
    node = fields.get("facts")
    if node is None or not isinstance(node.value, Mapping):
        return fields.text("facts", most=PROMPT_CHARS)
    return "\n".join(f"{name}: {plain(value)}" for name, value in node.value.items())


def _user(fields: Fields) -> Persona | None:
    if not fields.has("user"):
        return None
    user = fields.mapping("user")
    user.only(USER)
    user.require("goal", '"goal": "Learn which listing earns most"')
    return Persona(
        persona=_text(user, "persona") or "a customer",
        goal=_text(user, "goal") or "",
        max_turns=user.integer("max_turns", 6, TURNS),
    )
