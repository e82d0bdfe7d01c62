"""Parts of a report: conversations with agents, word by word, and the tools that they called."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class UseView:
    """One call of a tool, or several in a row that are alike.

    Args:
        call: `get_listings({"city": "Rome"})`.
        result: what came of it, short.
        failed: it did.
        seconds: `120 ms`, of all of them; empty where nobody measured it.
        times: how many.
    """

    call: str
    result: str
    failed: bool
    seconds: str
    times: int


@dataclass(frozen=True, slots=True)
class TurnView:
    """One message to the agent, and what it did.

    Args:
        head: whose message, `Round 1, user`.
        by: who wrote it, where it was not the case: `answered automatically`.
        said: the message.
        uses: calls of tools.
        more: how many calls are not shown.
        about: the agent's way to its answer: `step limit, 3 calls of the model, 1.2 s`.
        answer: None where it is the one that the report shows already; empty where there are no words.
        reopened: the session was closed behind it, and opened again.
        broken: no answer came.
    """

    head: str
    by: str
    said: str
    uses: tuple[UseView, ...]
    more: int
    about: str
    answer: str | None
    reopened: bool
    broken: bool = False


@dataclass(frozen=True, slots=True)
class TalkView:
    """One conversation.

    Args:
        brief: `2 turns, 3 calls of tools (1 failed)`.
        turns: in order.
        notes: what it cost, what a database held, what was missed.
    """

    brief: str
    turns: tuple[TurnView, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ToolRow:
    """One tool.

    Args:
        name: its name.
        cases: that call it, `12 → 5`.
        stopped, started: cases that do so no longer, or newly.
    """

    name: str
    cases: str
    stopped: str
    started: str
