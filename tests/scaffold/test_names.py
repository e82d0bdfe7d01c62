"""Names of suites tell prompts apart, and are as short as they can be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.config.values import name_complaint
from gate.scaffold.names import suite_names


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["prompts/chat.md", "prompts/router.md.j2"], ["chat", "router"]),
        (["billing/prompts/chat.md", "support/prompts/chat.md", "rank.md"], ["billing.chat", "support.chat", "rank"]),
        (["a/x/chat.md", "b/x/chat.md", "b/y/chat.md"], ["a.x.chat", "b.x.chat", "y.chat"]),
        (["services/bot/system_prompt.md", "prompt.md"], ["bot", "prompt"]),
        (["bot/prompts.py::SYSTEM_PROMPT", "bot/chat.py::CHAT_PROMPT"], ["bot", "chat_prompt"]),
        (
            ["a.py::Ask.main_system", "a.py::Ask.reminder", "b.py::Edit.reminder"],
            ["Ask", "Ask.reminder", "Edit.reminder"],
        ),
        (["config/default.yaml::agent.system_template"], ["agent"]),
        (["prompts/chat.md", "prompts/chat.txt", "Chat.md"], ["prompts.chat.md", "prompts.chat.txt", "Chat.md"]),
    ],
)
def test_the_shortest_path_that_tells_them_apart(paths: list[str], names: list[str]) -> None:
    assert suite_names(paths) == names


PATHS = st.lists(
    st.from_regex(r"([a-cA-C]{1,2}/){0,3}[a-c .é]{1,3}\.(md|txt)", fullmatch=True), unique=True, max_size=12
)


@given(PATHS)
def test_every_prompt_has_a_name_of_its_own_that_a_folder_may_have(paths: list[str]) -> None:
    names = suite_names(paths)
    assert len({name.lower() for name in names}) == len(paths)
    assert not any(name_complaint(name) or "/" in name or name.startswith(".") for name in names)
