"""One request to the test GitHub, understood: what it asks for, whether it may, and the forms of an answer."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn
from urllib.parse import urlencode

from tests.support.github_payloads import Json, Renderer
from tests.support.github_state import Identity, Pull, Repository, State

DOCS = "https://docs.github.com/rest"
INTEGRATION, PERSONAL = "Resource not accessible by integration", "Resource not accessible by personal access token"


@dataclass(frozen=True, slots=True)
class Reply:
    """A status, a JSON value (None: no body) and headers of its own."""

    status: int
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


class Refused(Exception):
    """The request ends here, with this reply."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(str(reply.body))
        self.reply = reply


@dataclass(frozen=True, slots=True)
class Call:
    """One request, understood.

    Args:
        identity: None for an anonymous one.
        params: the values of the braces in the route's template.
        tree_limit: entries after which a tree is truncated.
        path: as it was asked, for the links to other pages.
    """

    state: State
    render: Renderer
    identity: Identity | None
    params: Mapping[str, str]
    query: Mapping[str, str]
    body: Any
    tree_limit: int
    path: str

    @property
    def repo(self) -> Repository:
        found = self.state.repositories.get(f"{self.params['owner']}/{self.params['repo']}")
        return found or refuse(404, "Not Found")

    @property
    def pull(self) -> Pull:
        number = self.params.get("issue_number") or self.params["pull_number"]
        found = self.repo.pulls.get(int(number)) if number.isdecimal() else None
        return found or refuse(404, "Not Found")

    @property
    def login(self) -> str:
        return self.identity.login if self.identity else refuse(401, "Requires authentication")


Handler = Callable[[Call], Reply]


@dataclass(frozen=True, slots=True)
class Route:
    """An operation.

    Args:
        template: path, as GitHub's description writes it.
        needs: one of these permissions is enough; none for what every token may.
    """

    method: str
    template: str
    needs: tuple[str, ...]
    handler: Handler

    def match(self, path: str) -> dict[str, str] | None:
        """The values of the braces, still quoted, or None. Paths, refs and branches may hold slashes."""
        pattern = re.sub(r"\{(path|branch)\}", r"(?P<\1>.*)", self.template)
        pattern = pattern.replace("{ref}", r"(?P<ref>.+(?<!/pulls)(?<!/status)(?<!/statuses)(?<!/check-runs))")
        found = re.fullmatch(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", pattern), path)
        return found.groupdict() if found else None


def refuse(status: int, message: str, errors: Sequence[Json] | None = None) -> NoReturn:
    """End a request with an error as GitHub words it."""
    body: Json = {"message": message, "documentation_url": DOCS, "status": str(status)}
    raise Refused(Reply(status, body if errors is None else {**body, "errors": list(errors)}))


def authorise(call: Call, chosen: Route) -> None:
    """Let the call pass, or refuse it the way GitHub does: 404 where it hides, 401, or 403.

    A public repository can be read by everybody.
    """
    known = "owner" in chosen.template
    if known and call.repo.private and call.identity is None:
        refuse(404, "Not Found")
    if chosen.method != "GET":
        _ = call.login
    elif not known or not call.repo.private:
        return
    if call.identity and chosen.needs and not any(call.identity.may(need) for need in chosen.needs):
        refuse(403, INTEGRATION if call.identity.workflow else PERSONAL)


def paged(call: Call, items: Sequence[Json]) -> Reply:
    """The asked page of a list, with the links to the others."""
    size = min(max(_number(call.query.get("per_page"), 30), 1), 100)
    page, last = max(_number(call.query.get("page"), 1), 1), max(-(-len(items) // size), 1)
    pages = {"prev": page - 1, "next": page + 1, "last": last, "first": 1}
    wanted = (
        (["prev"] if page > 1 else []) + (["next", "last"] if page < last else []) + (["first"] if page > 1 else [])
    )
    path = call.path
    if "owner" in call.params:
        # GitHub's own links name a repository by its number, not as it was asked.
        path = path.replace(f"/repos/{call.repo.full_name}/", f"/repositories/{call.repo.id}/")
    links = [
        f'<{call.render.api}{path}?{urlencode({**call.query, "page": pages[rel]})}>; rel="{rel}"' for rel in wanted
    ]
    return Reply(200, items[(page - 1) * size : page * size], {"Link": ", ".join(links)} if links else {})


def _number(text: str | None, otherwise: int) -> int:
    return int(text) if text and text.isdecimal() else otherwise
