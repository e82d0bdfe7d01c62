"""Addresses of pages: names stand in the query, where every sign is allowed; in a path '..' would climb."""

from urllib.parse import urlencode

_LIST = "/suite"
_CASE = "/case"


def suite(name: str, part: str = "", **query: str | int) -> str:
    """A suite, or a part of it.

    Args:
        name: of the suite.
        part: as `history`, `export`, `import`, `tag`; empty for its cases.
        query: what else is asked.
    """
    return _address(_LIST, part, {"name": name, **query})


def case(suite: str, name: str, part: str = "") -> str:
    """A case, or a part of it.

    Args:
        suite: name of its suite.
        name: its id.
        part: as `history`, `archive`, `restore`, `duplicate`; empty for its form.
    """
    return _address(_CASE, part, {"suite": suite, "name": name})


def new_case(suite: str) -> str:
    """The empty form."""
    return _address(_CASE, "new", {"suite": suite})


def job(id: str, part: str = "") -> str:
    """A job, or a part of it.

    Args:
        id: of the job.
        part: as `events`, `cancel`; empty for its page.
    """
    return f"/jobs/{id}{'/' if part else ''}{part}"


def query(**values: str | int) -> str:
    """Part of a query."""
    return urlencode(values)


def _address(page: str, part: str, query: dict[str, str | int]) -> str:
    return f"{page}{'/' if part else ''}{part}?{urlencode(query)}"
