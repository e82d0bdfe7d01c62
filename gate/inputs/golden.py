"""Golden transcripts: a call so far, the state that the agent is in, and what its next reply has to be like."""

from collections.abc import Mapping
from types import MappingProxyType

from gate.domain.case import Case, ScorerSpec
from gate.domain.jsonvalue import JsonValue
from gate.domain.prompt import Message
from gate.inputs.chat import read_messages
from gate.inputs.fields import Fields, Range
from gate.inputs.limits import WORDS
from gate.inputs.names import value_complaint
from gate.inputs.nodes import Node, described, plain, wrap
from gate.inputs.problems import quoted
from gate.inputs.scorers.read import read_scorers

OPTIONAL = ("slices", "slice", "cluster", "vars", "scorers", "extra_scorers", "criteria", "threshold", "obsolete")
"""What a case of either form may have; `gate.inputs.cases` reads it."""
KEYS = ("id", "state", "session", "conversation", "expect", *OPTIONAL)
EXPECT = ("max_sentences", "must_paraphrase", "forbidden_words", "should_ask")
SENTENCES = Range(1, 100)
WEIGHT = 0.25
"""Of each expectation, beside the suite's scorers, which weigh 1 unless they say otherwise."""
STATE = "state"
"""The slice dimension, and the variable, that the state becomes."""
SESSION = "session"

_MARKS = frozenset({"conversation", "session", "state"})
_MEANT: Mapping[str, str] = MappingProxyType(
    {
        **{"messages": "conversation", "turns": "conversation", "transcript": "conversation", "input": "conversation"},
        **{"expected": "expect", "expectations": "expect", "variables": "vars", "name": "id"},
        **{"tags": "slices", "metadata": "slices", "group": "cluster"},
    }
)
_MEANT_EXPECT: Mapping[str, str] = MappingProxyType(
    {
        **{"sentences": "max_sentences", "paraphrases": "must_paraphrase", "paraphrase": "must_paraphrase"},
        **{"asks": "should_ask", "must_ask": "should_ask", "banned_words": "forbidden_words"},
    }
)


def is_transcript(entry: Mapping[str, object]) -> bool:
    """Is this a golden transcript and no case of the plain form?"""
    return "conversation" in entry or (bool(_MARKS & entry.keys()) and not {"input", "messages"} & entry.keys())


def read_transcript(fields: Fields) -> Case:
    """The case that a transcript stands for, still without its id, its place, and what every case may have.

    The conversation becomes the messages, the state the slice `state` and the variable `state`, the session the
    variable `session`, and what is expected scorers that stand beside the suite's.

    Args:
        fields: the transcript; its problems get every mistake.
    """
    fields.only(KEYS, meant=_MEANT)
    state = _state(fields)
    session = fields.mapping(SESSION).entries
    if STATE in session and plain(session[STATE]) != state:
        found = described(session[STATE].value)
        hint = "keep one of the two"
        fields.problems.add(session[STATE].line, f"session.state is {found}, and the state is {quoted(state)}", hint)
    variables: dict[str, JsonValue] = {STATE: state, SESSION: {name: plain(node) for name, node in session.items()}}
    return Case(
        id="",
        messages=_conversation(fields),
        slices={STATE: state},
        vars=variables,
        extra_scorers=_expected(fields),
    )


def _state(fields: Fields) -> str:
    fields.require(STATE, '"state": "discovery"')
    state = fields.text(STATE)
    if state and (complaint := value_complaint(state)):
        fields.problems.add(fields.line_of(STATE), f"state {complaint}")
    return state


def _conversation(fields: Fields) -> tuple[Message, ...]:
    if not fields.require("conversation", '"conversation": [{"role": "user", "content": "My AC is out."}]'):
        return ()
    turns = read_messages(fields.entries["conversation"], fields.problems, "conversation")
    if turns and (last := turns[-1][1].role) != "user":
        line = turns[-1][0] or fields.line
        message = f"the last turn of the conversation must be the user's, not the {last}'s"
        fields.problems.add(line, message, "end it with what the reply answers")
    return tuple(message for _, message in turns)


def _expected(fields: Fields) -> tuple[ScorerSpec, ...]:
    """The scorers of `expect`, each named as it is written there; what is null is not expected."""
    given = fields.mapping("expect")
    given.only(EXPECT, meant=_MEANT_EXPECT)
    kept = {key: node for key, node in given.entries.items() if node.value is not None}
    expect = Fields(Node(kept, given.line), "expect", fields.problems)
    wanted: list[JsonValue] = []
    if expect.has("max_sentences"):
        most = expect.integer("max_sentences", 1, SENTENCES)
        wanted.append(_scorer("max_sentences", "sentences", {"max": most}))
    if expect.flag("must_paraphrase", False):
        wanted.append(_scorer("must_paraphrase", "paraphrases", {}))
    if words := _words(expect, "forbidden_words"):
        wanted.append(_scorer("forbidden_words", "forbidden_words", {"words": words}))
    if about := _words(_listed(expect, "should_ask"), "should_ask"):
        wanted.append(_scorer("should_ask", "asks", {"about": about}))
    return read_scorers(wrap(wanted, given.line), fields.problems) if wanted else ()


def _scorer(name: str, kind: str, options: dict[str, JsonValue]) -> JsonValue:
    return {kind: options, "name": name, "weight": WEIGHT}


def _words(expect: Fields, key: str) -> list[JsonValue]:
    """A list of different texts, of bounded number and length."""
    words: list[JsonValue] = []
    for node in expect.texts(key):
        if complaint := value_complaint(str(node.value)):
            expect.problems.add(node.line, f"{expect.name}.{key}: {quoted(str(node.value))} {complaint}")
        words.append(node.value if isinstance(node.value, str) else "")
    if len(words) > WORDS:
        expect.problems.add(expect.line_of(key), f"{expect.name}.{key} holds more than {WORDS:,} texts")
        return []
    return words


def _listed(expect: Fields, key: str) -> Fields:
    """With a single text as a list of one."""
    node = expect.get(key)
    if node is None or isinstance(node.value, tuple):
        return expect
    if not isinstance(node.value, str):
        _must_be_text(expect, node, key)
        return Fields(None, expect.name, expect.problems)
    return Fields(Node({key: Node((node,), node.line)}, expect.line), expect.name, expect.problems)


def _must_be_text(expect: Fields, node: Node, key: str) -> None:
    hint = 'for example "should_ask": "name"'
    expect.problems.add(
        node.line, f"{expect.name}.{key} must be text or a list of texts, not {described(node.value)}", hint
    )
