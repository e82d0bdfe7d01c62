"""Addresses of pages. Names go into the query: in a path, '..' would be resolved."""

from urllib.parse import urlencode

_LIST = "/suite"
_CASE = "/case"
_LONGEST = 4_000


def suite(name: str, part: str = "", **query: str | int) -> str:
    return _address(_LIST, part, {"name": name, **query})


def case(suite: str, name: str, part: str = "") -> str:
    return _address(_CASE, part, {"suite": suite, "name": name})


def case_of_run(run: int, suite: str, name: str) -> str:
    """The page of a case in a run."""
    return f"/runs/{run}/case?{urlencode({'suite': suite, 'case': name})}"


def new_case(suite: str) -> str:
    return _address(_CASE, "new", {"suite": suite})


def job(id: str, part: str = "") -> str:
    return f"/jobs/{id}{'/' if part else ''}{part}"


def after(page: str, path: str, query: str) -> str:
    """A page that returns to `path` and `query` afterwards."""
    return _address(page, "", {"next": f"{path}?{query}" if query else path})


def own(address: str) -> str:
    """The address if it is on this server, else '/'.

    Browsers read `//name` and `/\\name` as another server, and leave some characters out before they look.
    """
    inside = address.startswith("/") and not address.startswith("//") and "\\" not in address
    return address if inside and len(address) <= _LONGEST and address.isascii() and address.isprintable() else "/"


def query(**values: str | int) -> str:
    return urlencode(values)


def _address(page: str, part: str, query: dict[str, str | int]) -> str:
    return f"{page}{'/' if part else ''}{part}?{urlencode(query)}"
