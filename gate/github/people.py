"""Who stands around a pull request: what somebody may do in the repository, and who wrote what."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from gate.domain.override import Role
from gate.github.client import GitHub, asking, required


@dataclass(frozen=True, slots=True)
class PullRequestPeople:
    """Asks about people (`gate.flows.override.People`).

    Args:
        github: the repository.
        number: of the pull request.
    """

    github: GitHub
    number: int

    def role(self, login: str) -> Role:
        """What somebody may do in the repository, by teams and organization, too.

        Args:
            login: of a person.

        Raises:
            ApiError: it cannot be read, or the answer is about somebody else.
        """
        with asking(f"read the role of {login}", "metadata: read"):
            return _role(self._permission(login), login)

    def author(self) -> str | None:
        """Login of who opened the pull request; None where that account is gone."""
        with asking("read the author of the pull request"):
            return _login(self.github.pull(self.number).raw_data["user"])

    def commit_author(self, sha: str) -> str | None:
        """Login of who wrote a commit; None where GitHub knows no account for the address in it."""
        with asking(f"read the author of commit {sha[:12]}", "contents: read"):
            found = self.github.repository.get_commit(sha).raw_data
            if found["sha"] != sha:
                raise ValueError("another commit")
            return _login(found["author"])

    def _permission(self, login: str) -> Any:
        # PyGithub gives the coarse permission or the role's name, each by a request of its own, and nothing else.
        path = f"{self.github.repository.url}/collaborators/{quote(login, safe='')}/permission"
        return self.github.repository.requester.requestJsonAndCheck("GET", path)[1]


def _role(answer: Any, login: str) -> Role:
    user = answer["user"]
    if user is not None and required(user["login"], str).casefold() != login.casefold():
        raise ValueError("another person")
    permissions = user.get("permissions") if user is not None else None
    # Older servers name no role.
    name = required(answer.get("role_name", ""), str)
    return Role(
        name=name,
        permission=required(answer["permission"], str),
        triage=isinstance(permissions, dict) and permissions.get("triage") is True,
    )


def _login(user: Any) -> str | None:
    """GitHub gives null where there is no account, and an empty object where a commit has no address."""
    return required(user["login"], str) if user else None
