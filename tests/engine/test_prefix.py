"""The start that all requests of an arm share, on prompts whose prefix is known."""

from os.path import commonprefix

from hypothesis import given
from hypothesis import strategies as st

from gate.cases.case import Case
from gate.engine.prompt_cache import Prefix, SharedStart, prefix_of
from gate.messages import Message
from gate.prompts.version import Prompt
from gate.record.comparison import PrefixEnd

DATES = ("1 May", "2 June", "30 July")


def cases(*inputs: str) -> list[Case]:
    dates = DATES * len(inputs)
    return [Case(f"c{i}", input=text, vars={"date": dates[i]}) for i, text in enumerate(inputs)]


def template(text: str, role: str = "system") -> Prompt:
    return Prompt((Message("system" if role == "system" else "user", text),), template=True)


def found(prompt: Prompt, *inputs: str) -> tuple[str, PrefixEnd | None]:
    prefix = prefix_of(prompt, cases(*inputs))
    return "|".join(message.content for message in prefix.messages), prefix.place


THREE = ("apples", "bread", "cheese")


def test_plain_text_is_shared_whole_and_the_input_is_not() -> None:
    assert found(Prompt((Message("system", "Be kind."),)), *THREE) == ("Be kind.", PrefixEnd(message=2, line=1))


def test_a_chat_file_is_shared_message_by_message() -> None:
    turns = (Message("system", "S"), Message("user", "Example"), Message("assistant", "Sure"))
    assert found(Prompt(turns, chat=True), *THREE) == ("S|Example|Sure", PrefixEnd(message=4, line=1))


def test_a_variable_at_the_start_leaves_nothing() -> None:
    assert found(template("{{ date }}\nBe kind."), *THREE) == ("", PrefixEnd(message=1, line=1, variable="date"))


def test_a_variable_that_never_varies_ends_nothing() -> None:
    same = [Case(f"c{i}", input=text, vars={"date": "1 May"}) for i, text in enumerate(THREE)]
    prefix = prefix_of(template("{{ date }}. {{ input }}", "user"), same)
    assert (prefix.chars, prefix.place) == (len("1 May. "), PrefixEnd(message=1, line=1, variable="input"))


def test_the_history_of_a_conversation_stands_ahead_of_a_template_that_asks() -> None:
    first = Case("a", messages=(Message("user", "hi"), Message("assistant", "yes?"), Message("user", "why")))
    second = Case("b", messages=(Message("user", "hello"), Message("assistant", "yes?"), Message("user", "why")))
    prefix = prefix_of(template("Q: {{ input }}", "user"), [first, second])
    assert ([m.content for m in prefix.messages], prefix.place) == (["h"], PrefixEnd(message=1, line=1))


def test_of_one_case_the_prompt_tells() -> None:
    assert found(template("Be kind. {{ date }} End."), "apples") == (
        "Be kind. ",
        PrefixEnd(message=1, line=1, variable="date"),
    )
    assert found(Prompt((Message("system", "Be kind."),)), "apples") == ("Be kind.", PrefixEnd(message=2, line=1))
    assert found(template("Be kind."), "apples") == ("Be kind.", PrefixEnd(message=2, line=1))


def test_a_case_that_cannot_be_rendered_sends_nothing() -> None:
    prefix = prefix_of(template("Be kind. {{ name }}"), [*cases(*THREE), Case("d", input="x", vars={"name": "Ada"})])
    assert list(prefix.lengths) == [3]
    assert prefix_of(template("{{ name }}"), cases(*THREE)) == Prefix((), (), None, {})


REQUESTS = st.lists(
    st.lists(
        st.builds(Message, st.sampled_from(("system", "user")), st.text("ab", max_size=8)), min_size=1, max_size=3
    ).map(tuple),
    min_size=1,
    max_size=6,
)


@given(REQUESTS)
def test_the_shared_start_is_the_longest_one(requests: list[tuple[Message, ...]]) -> None:
    start = SharedStart(requests[0])
    for request in requests[1:]:
        start.add(request)
    assert start.messages == _slowly(requests)


def _slowly(requests: list[tuple[Message, ...]]) -> tuple[Message, ...]:
    out: list[Message] = []
    for place, mine in enumerate(requests[0]):
        others = [request[place] for request in requests if place < len(request)]
        if len(others) < len(requests) or any(other.role != mine.role for other in others):
            break
        shared = commonprefix([other.content for other in others])
        if any(other != mine for other in others):
            return (*out, Message(mine.role, shared)) if shared else tuple(out)
        out.append(mine)
    return tuple(out)


@given(REQUESTS)
def test_it_is_no_longer_than_any_request_and_the_order_does_not_matter(requests: list[tuple[Message, ...]]) -> None:
    start, back = SharedStart(requests[0]), SharedStart(requests[-1])
    for request in requests:
        start.add(request)
    for request in reversed(requests):
        back.add(request)
    length = sum(len(message.content) for message in start.messages)
    assert all(length <= sum(len(message.content) for message in request) for request in requests)
    assert start.messages == back.messages
    assert not start.add(requests[0])
