"""What a Python prompt is called with."""

from gate.domain.case import Case
from gate.domain.jsonvalue import JsonValue, digest
from gate.inputs.problems import one_problem, quoted


def session_of(case: Case) -> dict[str, JsonValue]:
    """What the function is called with: the case's `session`, and its `state` where the session has none.

    Raises:
        InputErrors: the session is no mapping.
    """
    session = case.vars.get("session", {})
    if not isinstance(session, dict):
        file, _, line = case.where.rpartition(":")
        message = f"the session of case {quoted(case.id)} must be a mapping: a Python prompt is called with it"
        raise one_problem(file or "cases", int(line) if line.isdigit() else 0, message)
    state: dict[str, JsonValue] = {"state": case.vars["state"]} if "state" in case.vars else {}
    return {**state, **session}


def key_of(session: dict[str, JsonValue]) -> str:
    """Names what the function is called with: equal sessions are built once."""
    return digest(session)
