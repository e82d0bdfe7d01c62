"""Addresses of pages: names stand in the query, where every sign is allowed; in a path '..' would climb."""

from urllib.parse import urlencode

_LIST = "/suite"
_CASE = "/case"
_LONGEST = 4_000


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


def case_of_run(run: int, suite: str, name: str) -> str:
    """A case as it did in a run.

    Args:
        run: its id.
        suite: its name in that run.
        name: id of the case.
    """
    return f"/runs/{run}/case?{urlencode({'suite': suite, 'case': name})}"


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


def after(page: str, path: str, query: str) -> str:
    """A page that leads back to another one.

    Args:
        page: that comes first.
        path, query: of the other one.
    """
    return _address(page, "", {"next": f"{path}?{query}" if query else path})


def own(address: str) -> str:
    """An address if it is one of ours, and else that of the first page.

    Browsers read `//name` and `/\\name` as another server, and leave some characters out before they look.
    """
    inside = address.startswith("/") and not address.startswith("//") and "\\" not in address
    return address if inside and len(address) <= _LONGEST and address.isascii() and address.isprintable() else "/"


def query(**values: str | int) -> str:
    """Part of a query."""
    return urlencode(values)


def _address(page: str, part: str, query: dict[str, str | int]) -> str:
    return f"{page}{'/' if part else ''}{part}?{urlencode(query)}"
